package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A directory of a POSIX file system, such as NFS or Lustre. */
public final class PosixTarget implements Target {
  /** The system's English messages for lack of room: ENOSPC and EDQUOT. */
  private static final Set<String> FULL = Set.of("No space left on device", "Disk quota exceeded");

  /** A target without state. */
  public PosixTarget() {}

  @Override
  public void makeDirectory(Path directory) throws IOException {
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw new UnusableException(directory, "not a directory");
      }
    } catch (IOException e) {
      throw named(directory, e);
    }
  }

  @Override
  public Output create(Path file) throws IOException {
    try {
      return FileOutput.create(file);
    } catch (IOException e) {
      throw named(file, e);
    }
  }

  /** The same exception, as a {@link FullException} if the reason is lack of room. */
  static IOException named(Path path, IOException e) {
    String reason = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
    return reason != null && FULL.contains(reason) ? new FullException(path, reason) : e;
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw named(to, e);
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public boolean deleteDirectory(Path directory) throws IOException {
    try {
      Files.deleteIfExists(directory);
      return true;
    } catch (DirectoryNotEmptyException e) {
      return false;
    }
  }
}
