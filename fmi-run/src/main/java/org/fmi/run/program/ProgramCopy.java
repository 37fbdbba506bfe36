package org.fmi.run.program;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.fmi.node.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Copies entries of a program's class path. What is copied is what the digest is of, whatever
 * happens to the file meanwhile.
 *
 * <p>A link would not do instead: a jar that is written again in place, as {@code cp} does it, is
 * the same file.
 */
public final class ProgramCopy {
  private static final int BLOCK_BYTES = 256 << 10;

  /** Native libraries stay where they are: not everywhere may files be executed. */
  private static final Pattern NATIVE_LIBRARY = Pattern.compile(".*\\.so(\\.[0-9.]+)?");

  /** Of a copy of the root directory, which has no name. */
  private static final String ROOT = "root";

  private ProgramCopy() {}

  /**
   * Copies an entry.
   *
   * @param number of the entry; each has a directory of its own, which has nothing else beside it
   * @param directory for the copies of all
   * @return the entry with the digest of what was copied
   * @throws IOException if the entry cannot be read, or the copy cannot be written
   */
  public static Copied copy(ProgramEntry entry, int number, Path directory) throws IOException {
    Path source = Path.of(entry.path());
    Path name = source.normalize().getFileName(); // of "dir/." or "dir/sub/.." too
    try {
      Path parent = Files.createDirectory(directory.resolve(Integer.toString(number)));
      Path target = parent.resolve(name == null ? Path.of(ROOT) : name);
      return new Copied(target.toString(), digest(source, entry.kind(), target));
    } catch (IOException e) {
      boolean full = Files.getFileStore(directory).getUsableSpace() < entry.bytes();
      throw new IOException(
          "no copy of "
              + source
              + " can be made in "
              + directory.getParent()
              + ": "
              + Refusal.text(e)
              + (full ? "; --node-dir names a directory with more room" : ""),
          e);
    }
  }

  /** The program files of a directory, with what changes when they are written. */
  public static Object programFiles(Path directory) throws IOException {
    return FoundFile.in(directory).stream().filter(FoundFile::isProgram).toList();
  }

  /**
   * What was made of an entry.
   *
   * @param path of the copy
   * @param digest of what it contains
   */
  public record Copied(String path, String digest) {}

  /** The digest of an entry's program files: SHA-256, in hexadecimal digits. */
  public static String digest(ProgramEntry entry) throws IOException {
    return digest(Path.of(entry.path()), entry.kind(), null);
  }

  static String digest(Path source, Kind kind, @Nullable Path target) throws IOException {
    if (!Files.isDirectory(source)) {
      return HexFormat.of().formatHex(file(source, target));
    }
    MessageDigest all = sha256();
    if (target != null) {
      Files.createDirectory(target);
    }
    for (FoundFile file : FoundFile.in(source)) {
      if (file.isProgram()) {
        all.update((file.path() + "\n").getBytes(StandardCharsets.UTF_8));
        all.update(file(source.resolve(file.path()), copyOf(file, target)));
      } else if (target != null && kind == Kind.COPIED) {
        other(source.resolve(file.path()), target.resolve(file.path()), file.bytes());
      }
    }
    return HexFormat.of().formatHex(all.digest());
  }

  private static @Nullable Path copyOf(FoundFile file, @Nullable Path target) throws IOException {
    if (target == null) {
      return null;
    }
    Path copy = target.resolve(file.path());
    Files.createDirectories(copy.getParent());
    return copy;
  }

  /** Reads a file, and writes a copy of it if that is wanted. */
  private static byte[] file(Path source, @Nullable Path target) throws IOException {
    BasicFileAttributes before = attributes(source);
    MessageDigest digest = sha256();
    try (InputStream in = Files.newInputStream(source);
        OutputStream out =
            target == null ? OutputStream.nullOutputStream() : Files.newOutputStream(target)) {
      byte[] block = new byte[BLOCK_BYTES];
      for (int bytes; (bytes = in.read(block)) >= 0; ) {
        digest.update(block, 0, bytes);
        out.write(block, 0, bytes);
      }
    }
    BasicFileAttributes after = attributes(source);
    if (before.size() != after.size()
        || !before.lastModifiedTime().equals(after.lastModifiedTime())) {
      throw new IOException(
          source + " was written to while it was read; try again when it is done");
    }
    return digest.digest();
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class);
  }

  /**
   * Copies what is no program file: it may grow all the time, or vanish.
   *
   * @param most so much of it
   */
  private static void other(Path source, Path target, long most) throws IOException {
    Files.createDirectories(target.getParent());
    if (NATIVE_LIBRARY.matcher(source.toString()).matches()) {
      Files.createSymbolicLink(target, source.toAbsolutePath());
      return;
    }
    try (FileChannel in = FileChannel.open(source);
        FileChannel out =
            FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long at = 0;
      for (long bytes; at < most && (bytes = in.transferTo(at, most - at, out)) > 0; ) {
        at += bytes;
      }
    } catch (NoSuchFileException e) {
      return; // the source: it is gone
    }
    if (Files.isExecutable(source)) {
      Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
  }
}
