package org.fmi.run.e2e;

import java.io.IOException;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Request;

/**
 * Makes one kind of call again and again, with whoever is left, and prints how many that are. A
 * rank may stop itself for a while.
 */
public final class ShrinkProgram {
  private static final int ITERATIONS = 40;
  private static final int LONG = 200_000;

  private ShrinkProgram() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    String call = args[0];
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      Comm[] ring = {world};
      fmi.loop(
          ITERATIONS,
          n -> {
            if (args.length > 1 && n == ITERATIONS / 2 && world.rank() == 2) {
              pause(args[1]);
            }
            boolean done = false;
            while (!done) {
              boolean well = true;
              try {
                make(call, ring[0]);
              } catch (FmiException e) {
                if (e.errorClass() != ErrorClass.PROC_FAILED
                    && e.errorClass() != ErrorClass.REVOKED) {
                  throw e;
                }
                well = false;
                ring[0].revoke();
              }
              done = ring[0].agree(well ? 1 : 0) == 1;
              ring[0] = done ? ring[0] : ring[0].shrink();
            }
          });
      if (ring[0].rank() == 0) {
        System.out.println("result ranks=" + ring[0].size() + " at=" + world.rank());
      }
    }
  }

  /** Stops this process as the system would, and continues it after so many seconds. */
  private static void pause(String seconds) throws IOException, InterruptedException {
    long self = ProcessHandle.current().pid();
    String script = "kill -STOP " + self + "; sleep " + seconds + "; kill -CONT " + self;
    int _ = new ProcessBuilder("sh", "-c", script).start().waitFor();
  }

  private static void make(String call, Comm comm) {
    int size = comm.size();
    int right = (comm.rank() + 1) % size;
    int left = (comm.rank() + size - 1) % size;
    double[] out = new double[LONG];
    double[] in = new double[LONG];
    out[LONG - 1] = comm.rank() + 1;
    switch (call) {
      case "sendRecv" -> {
        comm.sendRecv(out, right, 1, in, left, 1);
        require(in[LONG - 1] == left + 1);
      }
      case "anySource" -> {
        Request receive = comm.irecv(in, Comm.ANY_SOURCE, 1);
        comm.ssend(out, right, 1);
        require(receive.waitFor().source() == left && in[LONG - 1] == left + 1);
      }
      case "object" -> {
        Request send = comm.isendObject("from " + comm.rank(), right, 1);
        require(("from " + left).equals(comm.recvObject(String.class, left, 1)));
        send.waitFor();
      }
      case "allReduce" -> {
        comm.allReduce(out, in, Op.SUM);
        require(2 * in[LONG - 1] == size * (size + 1));
      }
      case "bcast" -> {
        comm.bcast(out, size - 1);
        require(out[LONG - 1] == size);
      }
      case "barrier" -> comm.barrier();
      case "split" -> {
        Comm half = comm.split(comm.rank() % 2, 0);
        require(half != null && half.size() >= 1);
        if (half != null) {
          half.close();
        }
      }
      default -> throw new IllegalArgumentException(call);
    }
  }

  private static void require(boolean right) {
    if (!right) {
      throw new IllegalStateException("a wrong result");
    }
  }
}
