package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.stream.Stream;

/**
 * Deletes leftovers of this user's dead jobs: directories that no process has locked, and those of
 * lent nodes whose script is gone. A job lives while its fmirun or a daemon of it lives on this
 * machine: then another daemon may take over what a dead one has left.
 */
public final class DeadJobs {
  /** A directory of this age is not just being made or deleted. */
  private static final Duration OLD = Duration.ofMinutes(1);

  private DeadJobs() {}

  /**
   * Deletes leftovers of this user's dead jobs. Ignores failures, because the new job must not
   * fail.
   */
  public static void sweep() {
    sweep("", "");
  }

  /**
   * Does the same, in another directory as well.
   *
   * @param own id of the job of this process, which lives; empty if it has none, or is leaving it
   * @param disk directory named by the user; empty if none
   */
  static void sweep(String own, String disk) {
    Set<String> living = living(own);
    Set<Path> bases = new LinkedHashSet<>(NodePaths.programBases(""));
    bases.addAll(NodePaths.programBases(disk));
    bases.forEach(base -> sweepIn(base, living));
  }

  /** Does the same, in one directory only. */
  static void sweepIn(Path base, String own) {
    sweepIn(base, living(own));
  }

  private static void sweepIn(Path base, Set<String> living) {
    forEachIn(base, path -> sweepOne(path, living));
  }

  private static void forEachIn(Path base, Consumer<Path> action) {
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(
            base, "{" + NodePaths.PREFIX + "," + NodePaths.UNFINISHED + "}*")) {
      found.forEach(action);
    } catch (IOException | DirectoryIteratorException e) {
      System.err.println("fmi: cannot search for leftovers of dead jobs: " + e);
    }
  }

  /** Returns the ids of the jobs that live here, with that of this process. */
  private static Set<String> living(String own) {
    Set<String> living = new HashSet<>(Set.of(own));
    forEachIn(
        NodePaths.base(),
        path -> {
          String job = job(path);
          // Without a look at this process's own lock, which would release it.
          if (!job.isEmpty() && !living.contains(job) && isLocked(path)) {
            living.add(job);
          }
        });
    return living;
  }

  /** Returns the id of the job that a directory is named after; empty if there is none. */
  private static String job(Path path) {
    Matcher name = NodePaths.FINISHED_NAME.matcher(path.getFileName().toString());
    return name.matches() ? name.group(1) : "";
  }

  private static boolean isLocked(Path path) {
    try {
      Path lock = DirectoryLock.in(path);
      return NodeDirectory.isOwn(path)
          && Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)
          && !DirectoryLock.isFree(lock);
    } catch (IOException e) {
      return false; // it is gone, or the sweep reports it
    }
  }

  private static void sweepOne(Path path, Set<String> living) {
    String job = job(path);
    if (!job.isEmpty() && living.contains(job)) {
      return;
    }
    try {
      if (isAbandoned(path)) {
        NodeProcesses.kill(Set.of(path.toString()));
        NodeTree.delete(path);
      }
    } catch (IOException e) {
      System.err.println("fmi: cannot delete leftovers of a dead job: " + e);
    }
  }

  /**
   * Whether this is a node's directory without a daemon. Other users may have directories of
   * similar names in the same place, so everything must be as made by {@link NodeDirectory#create}.
   */
  private static boolean isAbandoned(Path path) throws IOException {
    String name = path.getFileName().toString();
    Matcher lent = NodePaths.LENT_NAME.matcher(name);
    if (lent.matches()) {
      return NodeDirectory.isOwn(path) && isOld(path) && !isInUse(path, lent.group(1));
    }
    boolean finished = NodePaths.FINISHED_NAME.matcher(name).matches();
    if ((!finished && !NodePaths.UNFINISHED_NAME.matcher(name).matches())
        || !NodeDirectory.isOwn(path)) {
      return false;
    }
    try {
      Path lock = DirectoryLock.in(path);
      if (finished && Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
        return DirectoryLock.isFree(lock);
      }
      // Being made or deleted, unless it is old; it holds nothing but the lock.
      return isOld(path)
          && isEmptyBut(lock, path)
          && (!Files.exists(lock, LinkOption.NOFOLLOW_LINKS) || DirectoryLock.isFree(lock));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static boolean isOld(Path path) throws IOException {
    Instant changed = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant();
    return changed.isBefore(Instant.now().minus(OLD));
  }

  /** Whether the script of a lent node still has the pipe open that it made at first. */
  private static boolean isInUse(Path path, String pid) {
    try {
      return DirectoryLock.isOpen(Long.parseLong(pid), path.resolve("out"));
    } catch (NumberFormatException e) {
      return false; // not a process
    }
  }

  private static boolean isEmptyBut(Path lock, Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.allMatch(lock::equals);
    }
  }
}
