package org.fmi.bench;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Request;

/**
 * FMI's side of {@code bench/behaviour}, the twin of {@code bench/peers/behaviour.c}: one call of
 * two processes, one of which makes no call and is killed while the other one waits.
 *
 * <p>Progress is reported in files of a directory: {@code 0} and {@code 1} (the process numbers),
 * {@code waits}, {@code returned} (the class of the error) and {@code finished}. Calls that return
 * at once include the one that completes them: the detaching of the buffer of a buffered send, and
 * tests until a request is complete.
 */
public final class Behaviour {
  private static final int COUNT = 16 << 20; // no send of it completes before it is received
  private static final int TAG = 1;

  private final Comm world;
  private final int other;
  private final byte[] out = new byte[COUNT];
  private final byte[] in = new byte[COUNT];

  private Behaviour(Comm world) {
    this.world = world;
    this.other = 1 - world.rank();
  }

  public static void main(String[] args) throws InterruptedException {
    if (args.length != 4) {
      throw new IllegalArgumentException(
          "usage: behaviour.jar OPERATION blocking|non-blocking|synchronous RANK_KILLED DIRECTORY");
    }
    Notes notes = new Notes(Path.of(args[3]));
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      if (world.size() != 2) {
        throw new IllegalArgumentException(world.size() + " ranks: needs two");
      }
      notes.addProcess(world.rank());
      world.barrier(); // they are connected, as programs are before a failure
      if (world.rank() == Integer.parseInt(args[2])) {
        TimeUnit.DAYS.sleep(1);
      }
      notes.add("returned", new Behaviour(world).errorOf(notes, args[0], args[1]));
    }
    notes.add("finished", "");
  }

  private String errorOf(Notes notes, String operation, String form) {
    if (operation.equals("bsend")) {
      world.attachBuffer(2L * COUNT);
    }
    notes.add("waits", "");
    try {
      switch (form) {
        case "blocking" -> call(operation);
        case "synchronous" -> world.ssend(out, other, TAG);
        case "non-blocking" -> testUntilComplete(begin(operation));
        default -> throw new IllegalArgumentException(form);
      }
      if (operation.equals("bsend")) {
        world.attachBuffer(0);
      }
      return "no error";
    } catch (FmiException e) {
      return e.errorClass().name();
    }
  }

  private void call(String operation) {
    switch (operation) {
      case "allreduce" -> world.allReduce(out, in, Op.MAX);
      case "barrier" -> world.barrier();
      case "bcast" -> world.bcast(out, 0);
      case "bsend" -> world.bsend(out, other, TAG);
      case "gather" -> world.gather(out, world.rank() == 0 ? new byte[2 * COUNT] : null, 0);
      case "recv" -> world.recv(in, other, TAG);
      case "reduce" -> world.reduce(out, world.rank() == 0 ? in : null, Op.MAX, 0);
      case "send" -> world.send(out, other, TAG);
      case "wait" -> world.irecv(in, other, TAG).waitFor();
      default -> throw new IllegalArgumentException(operation);
    }
  }

  private Request begin(String operation) {
    return switch (operation) {
      case "bsend" -> world.ibsend(out, other, TAG);
      case "recv" -> world.irecv(in, other, TAG);
      case "send" -> world.isend(out, other, TAG);
      default -> throw new IllegalArgumentException(operation);
    };
  }

  private static void testUntilComplete(Request request) {
    while (!request.test()) {
      Thread.onSpinWait();
    }
  }
}
