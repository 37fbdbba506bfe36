package org.fmi.run.e2e;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Fmi;

/**
 * A program without a loop that prints from its start to its end, on both streams, and is lost at
 * chosen steps.
 *
 * <p>Usage: {@code PrintingProgram directory [what@step...]}. Each loss happens once, and only
 * after those before it: of {@code rank1}, of {@code all} ranks on the node of rank 0, or of the
 * {@code node} of rank 1 with its daemon.
 */
public final class PrintingProgram {
  static final int STEPS = 6;

  private PrintingProgram() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    String rank = "rank " + System.getProperty("fmi.rank");
    print(rank + " starts");
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      for (int step = 0; step < STEPS; step++) {
        world.barrier();
        System.out.print(rank + " is at");
        System.out.flush();
        die(args, world.rank(), step);
        System.out.println(" step " + step);
        System.err.println(rank + " is at step " + step);
      }
    }
    print(rank + " ends");
  }

  private static void print(String line) {
    System.out.println(line);
    System.err.println(line);
  }

  /** All that a rank prints on one of the streams. */
  static List<String> lines(int rank) {
    List<String> lines = new ArrayList<>();
    lines.add("rank " + rank + " starts");
    for (int step = 0; step < STEPS; step++) {
      lines.add("rank " + rank + " is at step " + step);
    }
    lines.add("rank " + rank + " ends");
    return lines;
  }

  private static void die(String[] args, int rank, int step)
      throws IOException, InterruptedException {
    for (int i = 1; i < args.length; i++) {
      Path file = Path.of(args[0], args[i]);
      if (!Files.exists(file)) {
        if (args[i].equals(what(args[i], rank) + "@" + step)) {
          dieOnce(args[i], file);
        }
        return;
      }
    }
  }

  private static String what(String loss, int rank) {
    return switch (rank) {
      case 0 -> loss.startsWith("all") ? "all" : "rank0";
      case 1 -> loss.startsWith("node") ? "node" : "rank1";
      default -> "rank" + rank;
    };
  }

  private static void dieOnce(String loss, Path file) throws IOException, InterruptedException {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      return;
    }
    ProcessHandle daemon = ProcessHandle.current().parent().orElseThrow();
    List<String> pids = new ArrayList<>(List.of("kill", "-KILL"));
    if (loss.startsWith("node")) {
      pids.add(Long.toString(daemon.pid()));
    } else if (loss.startsWith("all")) {
      daemon.children().forEach(process -> pids.add(Long.toString(process.pid())));
    } else {
      pids.add(Long.toString(ProcessHandle.current().pid()));
    }
    new ProcessBuilder(pids).start();
    Thread.sleep(Long.MAX_VALUE); // until it is dead
  }
}
