package org.fmi.tasks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Message;
import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * One round at one rank: moves notes between the head, the workers and the communicator, and
 * computes tasks between them. All notes have arrived when it ends, so that none crosses a
 * checkpoint.
 */
final class Round {
  private static final int NOTE = 0;

  /** The unfinished sends from which on they are looked through. */
  private static final int MANY = 64;

  private final Comm comm;
  private final Dag dag;
  private final TaskRunner runner;
  private final Worker worker;
  private final @Nullable Head head;

  /** Notes to this rank itself. */
  private final Deque<Note> own = new ArrayDeque<>();

  private final List<Request> sends;
  private Note.@Nullable End end;

  /**
   * @param results what this rank holds, by task
   * @param left the number of tasks that may be left for later rounds
   * @param sends takes the requests of notes; all are complete when the round has ended
   */
  Round(
      Comm comm,
      Dag dag,
      TaskRunner runner,
      Map<Integer, @Nullable Object> results,
      int left,
      List<Request> sends) {
    this.comm = comm;
    this.dag = dag;
    this.runner = runner;
    this.sends = sends;
    worker = new Worker(dag, comm.rank(), results, this::send);
    head = comm.rank() == Head.RANK ? new Head(dag, comm.size(), left, this::send) : null;
  }

  /** Runs the round; returns the reason for which the graph has failed, or null. */
  @Nullable String run() {
    worker.begin();
    while (end == null) {
      Note note = own.poll();
      if (note != null) {
        receive(comm.rank(), note);
        continue;
      }
      int task = worker.next();
      Message message =
          task == Worker.NONE
              ? comm.mprobe(Comm.ANY_SOURCE, NOTE)
              : comm.improbe(Comm.ANY_SOURCE, NOTE);
      if (message != null) {
        int from = message.status().source();
        receive(from, Objects.requireNonNull(message.recvObject(Note.class)));
      } else {
        compute(task);
      }
    }
    Request.waitAll(sends);
    return end.broken();
  }

  private void send(int rank, Note note) {
    if (rank == comm.rank()) {
      own.add(note);
      return;
    }
    if (sends.size() >= MANY) {
      sends.removeIf(Request::test);
    }
    sends.add(comm.isendObject(note, rank, NOTE));
  }

  private void receive(int from, Note note) {
    switch (note) {
      case Note.Held(long[] words) -> head().held(from, words);
      case Note.Done(int task, int[] copies) -> head().done(from, task, copies);
      case Note.Broken(int _, String reason) -> head().broken(from, reason);
      case Note.Run(int task, int[] sources) -> worker.run(task, sources);
      case Note.Get(int task) -> worker.get(from, task);
      case Note.Result(int task, Object value) -> worker.result(task, value);
      case Note.End last -> end = last;
    }
  }

  private Head head() {
    return Objects.requireNonNull(head);
  }

  private void compute(int task) {
    if (task == dag.collecting()) {
      worker.collected();
      return;
    }
    try {
      worker.computed(task, runner.run(task));
    } catch (TaskException e) {
      worker.broken(task, Objects.requireNonNull(e.getMessage()));
    }
  }
}
