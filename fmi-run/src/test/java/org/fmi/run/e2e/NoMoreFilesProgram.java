package org.fmi.run.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.testkit.support.DescriptorLimit;

/**
 * Eight ranks add up numbers. The first process of rank 1 may open no more files, before it
 * communicates with a rank that it has no connection to.
 */
public final class NoMoreFilesProgram {
  static final int RANKS = 8;
  static final int ITERATIONS = 40;

  /** From this iteration on, which follows no checkpoint, rank 1 communicates with its peer. */
  static final int BEGIN = 22;

  private static final int PEER = 6;

  private NoMoreFilesProgram() {}

  public static void main(String[] args) {
    Path marker = Path.of(args[0]);
    boolean dials = args[1].equals("dials");
    long[] sum = {0};
    try (Fmi fmi = Fmi.init(args)) {
      int rank = fmi.world().rank();
      fmi.loop(
          ITERATIONS,
          n -> {
            long[] more = {n + rank};
            fmi.world().allReduce(more, Op.SUM);
            sum[0] += more[0];
            // The peer does not begin before, as it needs the next sum.
            if (rank == 1 && n == BEGIN - 1 && Files.notExists(marker)) {
              Files.createFile(marker);
              DescriptorLimit.lower();
            }
            if (n < BEGIN) {
              return;
            }
            long[] token = {n};
            if (rank == (dials ? 1 : PEER)) {
              fmi.world().send(token, dials ? PEER : 1, 0);
            } else if (rank == (dials ? PEER : 1)) {
              fmi.world().recv(token, dials ? 1 : PEER, 0);
            }
            sum[0] += token[0];
          },
          sum);
      System.out.println("rank " + rank + " has " + sum[0]);
    }
  }
}
