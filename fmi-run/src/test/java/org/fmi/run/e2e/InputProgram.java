package org.fmi.run.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * Rank 0 reads the first of its input's two parts, which an empty line separates, before it has
 * sent anything; then the other. What it has read is what the loop computes with.
 */
final class InputProgram {
  private InputProgram() {}

  public static void main(String[] args) throws IOException {
    String result = "";
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      long[] sums = new long[2];
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (int part = 0; part < sums.length; part++) {
        if (world.rank() == 0) {
          sums[part] = sum(in);
        }
        world.bcast(sums, 0);
      }
      long[] state = {1};
      fmi.loop(
          40,
          iteration -> {
            long[] next = {state[0] * 31 + sums[0] + sums[1] * world.rank()};
            world.allReduce(next, Op.SUM);
            state[0] = next[0];
          },
          state);
      if (world.rank() == 0) {
        result = "result first=" + sums[0] + " second=" + sums[1] + " state=" + state[0] + "\n";
      }
    }
    System.out.print(result);
  }

  private static long sum(BufferedReader in) throws IOException {
    CRC32 sum = new CRC32();
    String line = in.readLine();
    while (line != null && !line.isEmpty()) {
      sum.update(line.getBytes(StandardCharsets.UTF_8));
      line = in.readLine();
    }
    return sum.getValue();
  }
}
