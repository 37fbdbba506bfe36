package org.fmi;

import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Supplier;
import org.fmi.provider.FmiProvider;

/**
 * One rank's view of the job: the way into the library.
 *
 * <pre>{@code
 * try (Fmi fmi = Fmi.init(args)) {
 *   Comm world = fmi.world();
 *   fmi.loop(1000, iteration -> { exchange(world, u); step(u); }, State.of("u", u));
 * }
 * }</pre>
 *
 * <p>Methods are called by one thread at a time (MPI_THREAD_SERIALIZED, MPI 4 §11.6).
 */
public interface Fmi extends AutoCloseable {

  /**
   * Joins the job this process was started for (MPI_Init, MPI 4 §11.2). Returns when every rank of
   * the job can be reached. A process that {@code fmirun} did not start is a job of one rank.
   *
   * @param args those of {@code main}
   * @return this rank's view of the job; close it
   * @throws IllegalStateException if the process has called this before, or the runtime is not on
   *     the class path (dependency {@code org.fmi:fmi-runtime})
   */
  static Fmi init(String... args) {
    return ServiceLoader.load(FmiProvider.class)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no FMI runtime on the class path: add the runtime dependency"
                        + " org.fmi:fmi-runtime, or start this program with 'fmirun -n N app.jar'"))
        .init(args);
  }

  /**
   * The communicator of all ranks (MPI_COMM_WORLD).
   *
   * @return the same object at each call
   */
  Comm world();

  /**
   * The number of recoveries so far, as seen by this rank. It grows by at least one at each
   * recovery; a failure during a recovery starts another one.
   *
   * @return 0 before the first recovery
   */
  int epoch();

  /**
   * Runs {@code body} for iterations 0 to {@code iterations - 1} and survives failures meanwhile
   * (FMI_Loop, FMI paper §III).
   *
   * <p>Collective over all ranks, which run the same loops and pass the same {@code iterations}:
   * the job ends if two of them meet for a checkpoint at different places, or in loops of different
   * length. A checkpoint of {@code state} is taken before the first iteration, then at the
   * configured interval, and when the loop ends. When a process or node dies, the call of a rank
   * that goes back catches the {@link Rollback}, restores {@code state} to the last committed
   * checkpoint and calls the body again from there: all ranks do, or only those that have failed,
   * where each has a node of its own or {@code --rollback local} says so. After all processes had
   * to be restarted, a loop that had ended restores its final state and returns at once. For that
   * its final checkpoint stays in memory until the job ends: prefer one long loop to many short
   * ones.
   *
   * <p>The body completes its requests before an iteration ends, or keeps them in the state; all
   * are complete when the last iteration ends. What stands outside of loops runs again in a
   * replacement, and must then send and receive the same.
   *
   * @param iterations how many, 0 or more
   * @param body computes one iteration
   * @param state what a checkpoint holds: primitive arrays and arrays of them to any depth, {@link
   *     java.nio.ByteBuffer}s (all of the content, position and limit), {@link
   *     java.lang.foreign.MemorySegment}s, objects that implement Chronicle Bytes' {@code
   *     BytesMarshallable}, and {@link StateRef}s of these, of any {@link java.io.Serializable}
   *     object, of communicators or of {@link Request}s; each is held by reference and restored in
   *     place, except that a {@code StateRef} of an array gets a new one, which has new rows if it
   *     is an array of arrays, all of the sizes they had, and one of a serializable object a new
   *     one. A {@link ArrayBlock}, a {@link Replicated} or a {@link Repartitioned} of one of these
   *     says how it is shared, for jobs that go on with another number of ranks. A {@link State}
   *     gives any of them a name for messages.
   * @throws IllegalStateException if called inside another loop or after {@link #close}, or while
   *     requests of this rank are not complete; if some are at a checkpoint that are no state; or
   *     with the cause that the body has thrown
   * @throws IllegalArgumentException if {@code iterations} is negative, a state object is of no
   *     supported type, two have one name, or a request of the state receives into what is none
   */
  void loop(long iterations, LoopBody body, Object... state);

  /**
   * The loop of a program that iterates until it has converged: as {@link #loop(long, LoopBody,
   * Object...)}, but after each iteration all ranks agree whether to go on: {@code
   * fmi.loopWhile(1000, iteration -> step(u) > 1e-9, u)}.
   *
   * <p>They go on if the body has returned true on <i>any</i> rank, so that each may judge its own
   * part. What one rank knows alone and is to end the loop (a solution that was found) it tells the
   * others in the body. Costs an all-reduce per iteration.
   *
   * @param iterations how many at most, 0 or more
   * @param body computes one iteration, and returns whether to go on
   * @param state as for {@link #loop(long, LoopBody, Object...)}
   * @return how many iterations were computed: the same at all ranks, and after a restart
   * @throws IllegalStateException as for {@link #loop(long, LoopBody, Object...)}
   * @throws IllegalArgumentException as for {@link #loop(long, LoopBody, Object...)}
   */
  long loopWhile(long iterations, ConvergingBody body, Object... state);

  /**
   * A loop that says which ranks an iteration reads from, so that after a failure only the ranks
   * compute again that what was lost came from; the others keep what they have, and wait. So it is
   * by default, and with {@code --rollback flow}; with {@code global} it goes back as {@link
   * #loop(long, LoopBody, Object...)} does. Nothing of what is sent is kept for that.
   *
   * <p>The state exists twice: an iteration computes the second from the first, and they change
   * places. A rank that has failed begins with the last checkpoint. Ranks that it needs something
   * from, directly or not, load theirs into copies, compute as far as they are needed, and drop
   * them.
   *
   * <pre>{@code
   * double[] u = fmi.flowLoop(1000, Flow.line(world.size()), heat, () -> start(), s -> new Object[] {s});
   * }</pre>
   *
   * @param iterations how many, 0 or more
   * @param flow which ranks each reads from; the same at all ranks
   * @param body computes one iteration
   * @param make makes a state as it is before iteration 0, a new one each time
   * @param state the parts of a state that a checkpoint holds, as for {@link #loop(long, LoopBody,
   *     Object...)}: the same ones each time
   * @return the state after the last iteration
   * @throws IllegalStateException as for {@link #loop(long, LoopBody, Object...)}; or if a part of
   *     the body communicates as {@link FlowBody} says that it must not, such as with a rank that
   *     the flow does not name
   * @throws IllegalArgumentException as for {@link #loop(long, LoopBody, Object...)}; or if the
   *     flow names a rank that there is not
   */
  <S> S flowLoop(
      long iterations,
      Flow flow,
      FlowBody<S> body,
      Supplier<S> make,
      Function<? super S, Object[]> state);

  /**
   * As {@link #flowLoop}, until no rank's {@link FlowBody#finish} wants another iteration. Costs an
   * all-reduce per iteration.
   *
   * @param iterations how many at most, 0 or more
   * @param flow as for {@link #flowLoop}
   * @param body as for {@link #flowLoop}
   * @param make as for {@link #flowLoop}
   * @param state as for {@link #flowLoop}
   * @return the state after the last iteration
   * @throws IllegalStateException as for {@link #flowLoop}
   * @throws IllegalArgumentException as for {@link #flowLoop}
   */
  <S> S flowLoopWhile(
      long iterations,
      Flow flow,
      FlowBody<S> body,
      Supplier<S> make,
      Function<? super S, Object[]> state);

  /**
   * The paper's form of the loop: {@code while ((n = fmi.nextIteration(u, next)) < 1000) { try
   * {...} catch (Rollback e) {} }}.
   *
   * <p>Each call begins the next iteration, takes a checkpoint when one is due, and returns the
   * iteration's number. After a {@link Rollback} was thrown by a communication call, the program
   * catches it and calls this again: it restores {@code state} and returns the iteration to go on
   * from. The loop ends with {@link #endLoop} or with {@link #close}.
   *
   * <p>Leave it by the value that this returns, as above, and call {@link #endLoop} right then: for
   * a loop that had ended before all processes were restarted, this puts the final state in place
   * and returns the same value once more. What a program does to the state between the last call of
   * this and {@link #endLoop} would be done to the final state again.
   *
   * @param state as for {@link #loop(long, LoopBody, Object...)}; the same objects in every call of
   *     one loop
   * @return the iteration to compute next, counted from 0
   * @throws IllegalStateException as for {@link #loop(long, LoopBody, Object...)}; or if the state
   *     objects are others
   */
  long nextIteration(Object... state);

  /**
   * Ends a loop begun with {@link #nextIteration} by a final checkpoint, so that another loop can
   * follow. Does nothing outside of such a loop.
   *
   * @throws Rollback if a failure interrupts it; the program goes on with {@link #nextIteration} as
   *     for its body
   */
  void endLoop();

  /**
   * Asks for a checkpoint soon: before what takes long or is dangerous, or when the program has
   * found something that must not be lost. Returns at once. All ranks take it at one of the next
   * iterations of the loop that they are in, after the one in which this is called; no rank has to
   * call it at the same place as another. It is written to files too, if the job writes any.
   *
   * <p>Several calls may lead to one checkpoint; calls of all ranks in one iteration do. An
   * iteration that is repeated after a failure asks again. Does nothing outside of a loop, as each
   * loop begins and ends with a checkpoint, nor in a job of one rank without {@code fmirun}.
   *
   * @throws IllegalStateException after {@link #close}
   */
  void requestCheckpoint();

  /**
   * Has something done whenever a loop's state has been put in place, after a failure or from
   * files: what follows from the state need not be part of it then, and makes no checkpoint longer.
   * It runs on the thread that calls the loop, before the body goes on. Several run in the order
   * given. Call this before the loop, as a new process must come here too.
   *
   * <pre>{@code
   * fmi.afterRestore(() -> index.buildFrom(table));
   * fmi.loop(1000, n -> step(table, index), table);
   * }</pre>
   *
   * @param computes must not communicate: other ranks may not have gone back
   * @throws IllegalStateException after {@link #close}
   */
  void afterRestore(Runnable computes);

  /**
   * Leaves the job (MPI_Finalize, MPI 4 §11.2). Blocks until all ranks have called it, so that a
   * failure of any rank up to then can still be recovered. A rank that ends without it has failed.
   * From then on every call that communicates throws {@link IllegalStateException}.
   *
   * @throws FmiException {@link ErrorClass#MISMATCH} if another rank waits for a message of this
   *     one, or for this one to receive
   * @throws IllegalStateException if called in the body of a loop
   */
  @Override
  void close();
}
