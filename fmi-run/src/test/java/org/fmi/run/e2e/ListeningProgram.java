package org.fmi.run.e2e;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.fmi.Comm;
import org.fmi.FaultEvent;
import org.fmi.Fmi;
import org.fmi.Op;

/** Prints what its listeners see, and what happens to one that communicates. */
public final class ListeningProgram {
  private static final int ITERATIONS = 40;

  private ListeningProgram() {}

  public static void main(String[] args) throws InterruptedException {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      boolean original = fmi.epoch() == 0;
      String me = "rank " + world.rank() + (original ? ": " : " again: ");
      CountDownLatch last = new CountDownLatch(original ? 1 : 0);
      AtomicBoolean tried = new AtomicBoolean();
      Fmi.Listening _ =
          fmi.listen(
              event -> {
                if (tried.compareAndSet(false, true)) {
                  world.barrier();
                }
              });
      Fmi.Listening _ =
          fmi.listen(
              event -> {
                String state =
                    event instanceof FaultEvent.Failed f ? " " + fmi.state(f.rank()) : "";
                System.out.println(me + event + state);
                if (event.equals(new FaultEvent.CheckpointDue(30))) { // after the recovery
                  last.countDown();
                }
              });
      long[] sum = {0};
      fmi.loop(
          ITERATIONS,
          n -> {
            long[] one = {n};
            world.allReduce(one, Op.SUM);
            sum[0] += one[0];
          },
          sum);
      last.await();
      System.out.println(me + "sum " + sum[0] + " " + fmi.state(1));
    }
  }
}
