package org.fmi.run.slurm;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Slurm command with a time limit, because the controller may be down or slow. */
public final class SlurmCommand {
  private final String name;
  private final List<String> words = new ArrayList<>();

  private SlurmCommand(String name, File program) {
    this.name = name;
    words.add(program.getPath());
  }

  /**
   * Finds it in the PATH.
   *
   * @param environment environment with the PATH
   * @throws IOException if it is not there
   */
  public static SlurmCommand of(String name, Map<String, String> environment) throws IOException {
    File program = find(name, environment);
    if (program == null) {
      throw new IOException(name + " is not in the PATH");
    }
    return new SlurmCommand(name, program);
  }

  /** Whether it is in the PATH. */
  static boolean isThere(String name, Map<String, String> environment) {
    return find(name, environment) != null;
  }

  private static @Nullable File find(String name, Map<String, String> environment) {
    for (String directory : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
      File program =
          new File(directory, name); // not as a Path, because not every name is a valid one
      if (program.canExecute()) {
        return program;
      }
    }
    return null;
  }

  /** Adds arguments. */
  public SlurmCommand with(String... arguments) {
    words.addAll(List.of(arguments));
    return this;
  }

  /**
   * Runs it with a time limit.
   *
   * @return its output, by line
   * @throws IOException with Slurm's own message if it fails
   */
  public List<String> run(int seconds) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(words).start();
    } catch (OutOfMemoryError e) {
      // Threads are exhausted, which passes.
      throw new IOException("cannot start " + name + ": " + e.getMessage(), e);
    }
    return answer(process, seconds);
  }

  /** Returns the answer of a process of this command. */
  List<String> answer(Process process, int seconds) throws IOException {
    process.getOutputStream().close();
    CompletableFuture<String> errors = read(process.getErrorStream());
    CompletableFuture<String> output = read(process.getInputStream());
    try {
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(name + " did not answer within " + seconds + " s");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + name, e);
    }
    List<String> complaint = text(errors).lines().filter(line -> !line.isBlank()).toList();
    if (process.exitValue() != 0) {
      throw new IOException(
          complaint.isEmpty()
              ? name + " ended with status " + process.exitValue()
              : complaint.getLast());
    }
    return text(output).lines().toList();
  }

  private String text(CompletableFuture<String> stream) throws IOException {
    try {
      return stream.join();
    } catch (CompletionException e) {
      throw new IOException("cannot read the output of " + name + ": " + e.getMessage(), e);
    }
  }

  private static CompletableFuture<String> read(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> Thread.ofVirtual().name("fmi-slurm-output").start(task));
  }
}
