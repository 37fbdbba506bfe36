package org.fmi.run.e2e;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** A program that does not use FMI; what it does is its first argument. */
final class PlainProgram {
  private PlainProgram() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    switch (args[0]) {
      case "lines" -> {
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
          System.out.print("line ");
          System.out.flush();
          System.out.println(i);
          System.err.println("error " + i);
        }
      }
      case "long" -> {
        byte[] piece = new byte[1 << 16];
        Arrays.fill(piece, (byte) ('a' + Integer.getInteger("fmi.rank", 0)));
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
          System.out.write(piece);
        }
        System.out.flush();
      }
      case "arguments" -> {
        for (String arg : args) {
          System.out.println("<" + arg + ">");
        }
        System.out.println("variable " + System.getenv("GIVEN"));
        System.out.println("property " + System.getProperty("given"));
      }
      case "input" -> {
        CRC32 sum = new CRC32();
        long lines = 0;
        try (InputStream from =
                args.length > 1 ? Files.newInputStream(Path.of(args[1])) : System.in;
            BufferedReader in =
                new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
          String line = in.readLine();
          while (line != null) {
            lines++;
            sum.update(line.getBytes(StandardCharsets.UTF_8));
            line = in.readLine();
          }
        }
        System.out.println("read " + lines + " lines, sum " + sum.getValue());
      }
      case "cat" -> new ProcessBuilder("cat").inheritIO().start().waitFor();
      case "cat-in-a-thread" -> {
        Thread reader =
            new Thread(
                () -> {
                  try {
                    new FileInputStream(FileDescriptor.in).transferTo(System.out);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        reader.start();
        reader.join();
      }
      case "who" -> {
        for (String name : List.of("fmi.rank", "fmi.local.rank", "fmi.size", "given")) {
          System.out.println(name + "=" + System.getProperty(name));
        }
        System.out.println(group());
        System.err.println(System.getProperty("fmi.job"));
      }
      case "heap" -> System.out.println(heap());
      case "cores" -> System.out.println(cores());
      case "exit" -> System.exit(Integer.parseInt(args[1]));
      case "throw" -> throw new IllegalStateException("thrown on purpose");
      case "child" -> {
        new ProcessBuilder("setsid", "sleep", "1000").start();
        System.out.println("has a child");
      }
      case "sleep" -> {
        new ProcessBuilder("setsid", "sleep", "1000").start();
        System.out.println("sleeps");
        Thread.sleep(Long.MAX_VALUE);
      }
      case "hook" -> {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook ran")));
        System.out.println("sleeps");
        Thread.sleep(Long.MAX_VALUE);
      }
      case "endless" -> {
        Thread hook = new Thread(PlainProgram::sleep);
        Runtime.getRuntime().addShutdownHook(hook);
        System.out.println("sleeps");
        sleep();
      }
      case "chatter" -> {
        while (!System.out.checkError()) {
          System.out.println("chatter");
        }
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(Long.MAX_VALUE);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String heap() {
    long mib = Runtime.getRuntime().maxMemory() >> 20;
    String collector = ManagementFactory.getGarbageCollectorMXBeans().getFirst().getName();
    return mib + " MiB, " + collector.replaceFirst(" .*", "");
  }

  /** After pid and name: state, ppid, pgrp, session (proc(5)). */
  private static String group() throws IOException {
    String[] stat =
        Files.readString(Path.of("/proc/self/stat")).replaceFirst(".*\\) ", "").split(" ");
    boolean leads = Long.parseLong(stat[2]) == ProcessHandle.current().pid();
    return (leads ? "leads" : "does not lead") + " a group in session " + stat[3];
  }

  /** The cores that the threads of this process may run on: one list if it is the same for all. */
  static String cores() {
    return coresOfThreadsBut("");
  }

  /** The same without one of them. */
  static String coresOfThreadsBut(String one) {
    Set<String> cores = new TreeSet<>();
    for (String thread : Objects.requireNonNull(new File("/proc/self/task").list())) {
      try {
        if (!thread.equals(one)) {
          cores.add(cores(Path.of("/proc/self/task", thread)));
        }
      } catch (IOException | UncheckedIOException e) {
        // The thread has ended.
      }
    }
    return String.join(" and ", cores);
  }

  /** The cores that a thread may run on. */
  static String cores(Path thread) throws IOException {
    try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
      return lines
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .map(line -> line.replaceFirst(".*\\s", ""))
          .collect(Collectors.joining());
    }
  }
}
