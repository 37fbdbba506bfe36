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
 * Copies entries of a program's class path. The copy always matches the digest, whatever happens to
 * the file in the meantime.
 *
 * <p>A link would not do: a jar that is overwritten in place, as by {@code cp}, is the same file.
 */
public final class ProgramCopy {
  private static final int BLOCK_BYTES = 256 << 10;

  /** Native libraries are not copied, because some places do not permit executing files. */
  private static final Pattern NATIVE_LIBRARY = Pattern.compile(".*\\.so(\\.[0-9.]+)?");

  /** The name of a copy of the root directory, which has no name. */
  private static final String ROOT = "root";

  private ProgramCopy() {}

  /**
   * Copies an entry.
   *
   * @param number number of the entry, which gets a separate directory
   * @param directory parent directory of all copies
   * @return the entry with the digest of the copy
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
          "cannot copy "
              + source
              + " to "
              + directory.getParent()
              + ": "
              + Refusal.text(e)
              + (full ? "; name a directory with more room (--node-dir)" : ""),
          e);
    }
  }

  /** Returns the program files of a directory, with data that change when they are written. */
  public static Object programFiles(Path directory) throws IOException {
    return FoundFile.in(directory).stream().filter(FoundFile::isProgram).toList();
  }

  /**
   * The copy of an entry.
   *
   * @param path path of the copy
   * @param digest digest of its content
   */
  public record Copied(String path, String digest) {}

  /** Returns the digest of an entry's program files: SHA-256, in hexadecimal digits. */
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

  /** Reads a file, and copies it if requested. */
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
          source + " changed while it was being read; try again when it is complete");
    }
    return digest.digest();
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class);
  }

  /**
   * Copies a file that is not part of the program, and may grow or vanish.
   *
   * @param most maximum number of bytes
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
      return; // the source has vanished
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
