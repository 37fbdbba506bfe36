package org.fmi.examples.hello;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;

/** Each rank says who and where it is. */
public final class Hello {
  private static final String HELP =
      """
      hello - each rank says who and where it is

      usage: fmirun -n N hello.jar [--help]

        --help   show this and end

      The last line is "result ranks=N": how many ranks were counted.
      """;

  private Hello() {}

  public static void main(String[] args) throws IOException {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; rank 0 alone has one. */
  static String run(Fmi fmi, String... args) throws IOException {
    Comm world = fmi.world();
    if (Options.parse(world, HELP, args) == null) {
      return "";
    }
    String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    System.out.println("hello from rank " + world.rank() + " of " + world.size() + " on " + host);
    world.barrier();

    int[] count = {1};
    world.allReduce(count, Op.SUM);
    return world.rank() == 0 ? "result ranks=" + count[0] + "\n" : "";
  }
}
