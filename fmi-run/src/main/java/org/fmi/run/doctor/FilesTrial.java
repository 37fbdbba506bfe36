package org.fmi.run.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.FullException;
import org.fmi.ckpt.files.Target;
import org.fmi.spi.Finding;

/** Tries whether checkpoints can be written to a directory from this machine. */
final class FilesTrial {
  /** Large enough to be written like the files of checkpoints. */
  private static final int BYTES = 5 << 20;

  private final Path directory;
  private final Target target;

  FilesTrial(Path directory, Target target) {
    this.directory = directory;
    this.target = target;
  }

  List<Finding> findings() {
    if (!Files.exists(directory)) {
      return List.of(failed("does not exist on this machine; create it, or mount its file system"));
    }
    if (!Files.isDirectory(directory)) {
      return List.of(failed("not a directory; name a directory"));
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(write());
    try {
      String owner = Files.getOwner(directory).getName();
      if (!owner.equals(Files.getOwner(Path.of("/proc/self")).getName())) {
        findings.add(
            Finding.missing(
                text(
                    "belongs to "
                        + owner
                        + ", who may delete the files of jobs; use a directory of your own")));
      }
      List<Path> foreign = Catalog.foreign(directory);
      if (!foreign.isEmpty()) {
        findings.add(
            Finding.missing(
                text(
                    "holds files that are not FMI checkpoints, such as "
                        + foreign.getFirst().getFileName()
                        + "; use a dedicated directory")));
      }
      List<String> programs =
          Catalog.of(directory).generations().stream()
              .map(each -> each.manifest().program().mainClass())
              .distinct()
              .sorted()
              .toList();
      if (programs.size() > 1) {
        findings.add(
            Finding.missing(
                text(
                    "holds checkpoints of several programs ("
                        + String.join(", ", programs)
                        + "): --restart-from latest is refused there; use one directory per"
                        + " program")));
      }
    } catch (IOException e) {
      findings.add(failed("cannot be read: " + e));
    }
    return findings;
  }

  /** Performs the operations of a checkpoint: write, force, rename, read back. */
  private Finding write() {
    byte[] content = new byte[BYTES];
    SplittableRandom random = new SplittableRandom();
    random.nextBytes(content);
    Path file =
        directory.resolve(String.format(Locale.ROOT, ".fmi-doctor-%016x", random.nextLong()));
    try {
      long begin = System.nanoTime();
      Long _ =
          target.write(
              file,
              output -> {
                output.append(ByteBuffer.wrap(content));
                return (long) BYTES;
              });
      target.forceDirectory(directory);
      double seconds = (System.nanoTime() - begin) / 1e9;
      boolean same = Arrays.equals(Files.readAllBytes(file), content);
      target.delete(file);
      return same
          ? Finding.ok(
              text(
                  String.format(
                      Locale.ROOT,
                      "%d MiB written, forced, renamed and read back, at %.0f MB/s; %d MiB free",
                      BYTES >> 20,
                      BYTES / seconds / 1e6,
                      Files.getFileStore(directory).getUsableSpace() >> 20)))
          : failed("reads back different bytes than were written; do not keep checkpoints there");
    } catch (FullException e) {
      return failed("is full; delete old checkpoints with 'fmi ckpt prune'");
    } catch (AccessDeniedException e) {
      return failed("is not writable by this user; name a writable directory");
    } catch (FileSystemException e) {
      return failed(e.getReason() + "; name a directory that is writable from here");
    } catch (IOException e) {
      return failed(e.getMessage() + "; name a directory that is writable from here");
    }
  }

  private Finding failed(String what) {
    return Finding.failed(text(what));
  }

  private String text(String what) {
    return "--l2-dir " + directory + ": " + what;
  }
}
