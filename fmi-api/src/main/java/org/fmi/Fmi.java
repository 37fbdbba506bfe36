package org.fmi;

import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.fmi.provider.FmiProvider;

/**
 * The job as one rank sees it, and the entry point of the library.
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
   * Joins the job that this process was started for (MPI_Init, MPI 4 §11.2). Returns when every
   * rank of the job can be reached. A process that {@code fmirun} did not start is a job of one
   * rank.
   *
   * @param args the arguments of {@code main}
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
   * Runs {@code body} for iterations 0 to {@code iterations - 1} and survives failures (FMI_Loop,
   * FMI paper §III).
   *
   * <p>Collective over all ranks. All ranks run the same loops and pass the same {@code
   * iterations}; the job ends if two ranks take a checkpoint at different places, or in loops of
   * different lengths. A checkpoint of {@code state} is taken before the first iteration, then at
   * the configured interval, and when the loop ends.
   *
   * <p>When a process or node dies, ranks roll back: the call catches the {@link Rollback},
   * restores {@code state} to the last committed checkpoint, and calls the body again from that
   * iteration. By default all ranks roll back, or only the failed ones where each rank has a
   * dedicated node ({@code --rollback}). If all processes had to be restarted, a loop that had
   * ended restores its final state and returns at once. For this its final checkpoint stays in
   * memory until the job ends: prefer one long loop to many short ones.
   *
   * <p>The body completes its requests before an iteration ends, or makes them state; all requests
   * are complete when the last iteration ends. Code outside of loops runs again in a replacement,
   * and must then send and receive the same messages.
   *
   * @param iterations the number of iterations, 0 or more
   * @param body computes one iteration
   * @param state the content of a checkpoint: primitive arrays and arrays of them to any depth,
   *     {@link java.nio.ByteBuffer}s (all of the content, position and limit), {@link
   *     java.lang.foreign.MemorySegment}s, objects that implement Chronicle Bytes' {@code
   *     BytesMarshallable}, and {@link StateRef}s of these, of any {@link java.io.Serializable}
   *     object, of communicators or of {@link Request}s. Each object is held by reference and
   *     restored in place. Two are replaced instead: the array in a {@code StateRef}, with its
   *     rows, by a new array of the size that it had, and a serializable object by a new one. An
   *     {@link ArrayBlock}, a {@link Replicated} or a {@link Repartitioned} around one of these
   *     says how ranks share it, for a restart with another number of ranks. A {@link State} gives
   *     any of them a name for messages.
   * @throws IllegalStateException if called inside another loop or after {@link #close}, or while
   *     requests of this rank are not complete; if requests that are not state are open at a
   *     checkpoint; or with an exception of the body as its cause
   * @throws IllegalArgumentException if {@code iterations} is negative, a state object has an
   *     unsupported type, two have the same name, or a request of the state receives into a buffer
   *     that is not state
   */
  void loop(long iterations, LoopBody body, Object... state);

  /**
   * Runs a loop until it has converged: a {@link #loop(long, LoopBody, Object...) loop} whose ranks
   * agree after each iteration whether to continue: {@code fmi.loopWhile(1000, iteration -> step(u)
   * > 1e-9, u)}.
   *
   * <p>The loop continues if the body has returned true on <i>any</i> rank, so that each rank may
   * judge its part. A rank that alone knows that the loop should end (it has found the solution)
   * sends this to the other ranks in the body. Costs an all-reduce per iteration.
   *
   * @param iterations the largest number of iterations, 0 or more
   * @param body computes one iteration, and returns whether to continue
   * @param state as for {@link #loop(long, LoopBody, Object...)}
   * @return the number of iterations computed: the same at all ranks, and after a restart
   * @throws IllegalStateException as for {@link #loop(long, LoopBody, Object...)}
   * @throws IllegalArgumentException as for {@link #loop(long, LoopBody, Object...)}
   */
  long loopWhile(long iterations, ConvergingBody body, Object... state);

  /**
   * Runs a loop that declares which ranks an iteration reads from. After a failure only the ranks
   * that the lost data depends on recompute; all other ranks keep their state and wait. This is the
   * default, and {@code --rollback flow}; with {@code --rollback global} all ranks roll back as in
   * a {@link #loop(long, LoopBody, Object...) loop}. No messages are logged for it.
   *
   * <p>The state exists twice: an iteration computes the second state from the first, and the two
   * change places. A failed rank starts from the last checkpoint. The ranks whose data it needs,
   * directly or through other ranks, load their checkpoints into copies, recompute until the failed
   * rank has its data, and drop the copies.
   *
   * <pre>{@code
   * double[] u = fmi.flowLoop(1000, Flow.line(world.size()), heat, () -> start(), s -> new Object[] {s});
   * }</pre>
   *
   * @param iterations the number of iterations, 0 or more
   * @param flow the ranks that each rank reads from; the same at all ranks
   * @param body computes one iteration
   * @param make makes a new state as it is before iteration 0
   * @param state the parts of a state that a checkpoint holds, as for {@link #loop(long, LoopBody,
   *     Object...)}: the same ones each time
   * @return the state after the last iteration
   * @throws IllegalStateException as for {@link #loop(long, LoopBody, Object...)}; or if a part of
   *     the body communicates in a way that {@link FlowBody} forbids, such as with a rank that the
   *     flow does not name
   * @throws IllegalArgumentException as for {@link #loop(long, LoopBody, Object...)}; or if the
   *     flow names a rank that does not exist
   */
  <S> S flowLoop(
      long iterations,
      Flow flow,
      FlowBody<S> body,
      Supplier<S> make,
      Function<? super S, Object[]> state);

  /**
   * Runs a {@link #flowLoop} until no rank's {@link FlowBody#finish} wants another iteration. Costs
   * an all-reduce per iteration.
   *
   * @param iterations the largest number of iterations, 0 or more
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
   * Begins the next iteration of a loop in the paper's form: {@code while ((n =
   * fmi.nextIteration(u, next)) < 1000) { try {...} catch (Rollback e) {} }}.
   *
   * <p>Each call takes a checkpoint if one is due, and returns the iteration's number. The program
   * catches the {@link Rollback} that a communication call throws, and calls this method again,
   * which restores {@code state} and returns the iteration to continue from. The loop ends with
   * {@link #endLoop} or with {@link #close}.
   *
   * <p>Leave the loop by the returned value, as above, and call {@link #endLoop} at once. If all
   * processes were restarted after the loop had ended, this method restores the final state and
   * returns the same value again: a change of the state between the last call and {@link #endLoop}
   * would then be made twice.
   *
   * @param state as for {@link #loop(long, LoopBody, Object...)}; the same objects in every call of
   *     one loop
   * @return the iteration to compute next, counted from 0
   * @throws IllegalStateException as for {@link #loop(long, LoopBody, Object...)}; or if the state
   *     objects differ from the previous call's
   */
  long nextIteration(Object... state);

  /**
   * Ends a loop begun with {@link #nextIteration} by a final checkpoint, so that another loop can
   * follow. Does nothing outside of such a loop.
   *
   * @throws Rollback if a failure interrupts it; the program then calls {@link #nextIteration}, as
   *     after a rollback in the body
   */
  void endLoop();

  /**
   * Requests a checkpoint soon: before a long or dangerous step, or for a result that must not be
   * lost. Returns at once. All ranks take the checkpoint at one of the next iterations of their
   * loop. Any rank may call this, at any place. The checkpoint is also written to files, if the job
   * writes checkpoints to files.
   *
   * <p>Several calls may lead to one checkpoint; the calls of all ranks in one iteration do. An
   * iteration that is repeated after a failure requests again. Has no effect outside of a loop,
   * because each loop begins and ends with a checkpoint, nor in a job of one rank without {@code
   * fmirun}.
   *
   * @throws IllegalStateException after {@link #close}
   */
  void requestCheckpoint();

  /**
   * Registers an action that runs whenever a loop's state has been restored, after a failure or
   * from files. Data that can be derived from the state then need not be state, which makes
   * checkpoints smaller. The action runs on the thread that calls the loop, before the body;
   * several actions run in the order of registration. Register before the loop, so that a
   * replacement process does too.
   *
   * <pre>{@code
   * fmi.afterRestore(() -> index.buildFrom(table));
   * fmi.loop(1000, n -> step(table, index), table);
   * }</pre>
   *
   * @param computes the action; it must not communicate, because other ranks may not roll back
   * @throws IllegalStateException after {@link #close}
   */
  void afterRestore(Runnable computes);

  /**
   * Shows each {@link FaultEvent} from now on to a listener. Listeners run one after the other, in
   * the order of the events, on a thread of their own beside the program; a slow one delays those
   * behind it, not the program. One that throws is reported once, and hears of later events
   * nevertheless.
   *
   * <p>A listener must not communicate, nor call this interface except {@link #state} and {@link
   * #epoch}: it notes what it has heard, and the program's own thread acts on it. Works with every
   * {@code --on-failure}. A replacement process begins without listeners, as it runs the program
   * from its beginning.
   *
   * <pre>{@code
   * fmi.listen(event -> { if (event instanceof FaultEvent.Failed f) log.warn("lost rank " + f.rank()); });
   * }</pre>
   *
   * @param listener receives the events
   * @return shows it no further events once closed
   * @throws IllegalStateException after {@link #close}
   */
  Listening listen(Consumer<? super FaultEvent> listener);

  /** A listener that {@link #listen} has registered. */
  interface Listening extends AutoCloseable {
    /** Ends it: the listener sees no event that comes later. */
    @Override
    void close();
  }

  /**
   * Returns the state of a rank's process, as known to this rank. Any thread may call it at any
   * time. Where lost ranks are replaced, all are {@link ProcessState#ALIVE} again once this rank
   * runs again; with {@code --on-failure shrink}, {@link ProcessState#DEAD} is final.
   *
   * @param rank a rank of {@link #world}
   * @return its state
   * @throws FmiException {@link ErrorClass#RANK} if there is no such rank
   */
  ProcessState state(int rank);

  /**
   * Leaves the job (MPI_Finalize, MPI 4 §11.2). Blocks until all ranks have called it, so that a
   * failure of any rank until then can be recovered from. A rank that ends without it has failed.
   * After it every call that communicates throws {@link IllegalStateException}.
   *
   * @throws FmiException {@link ErrorClass#MISMATCH} if another rank waits for a message of this
   *     rank, or for this rank to receive
   * @throws IllegalStateException if called in the body of a loop
   */
  @Override
  void close();
}
