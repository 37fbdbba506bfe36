package org.fmi.run.flush;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.FullException;
import org.fmi.ckpt.files.NodeFileHead;
import org.fmi.ckpt.files.NodeFileWriter;
import org.fmi.ckpt.files.NotStoredException;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.ckpt.files.Publication;
import org.fmi.ckpt.files.UnusableException;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.node.Refusal;
import org.fmi.spi.PinnedImage;

/**
 * The main class of the daemon's helper: takes tasks from standard input, one after the other, and
 * writes the result of each to standard output. A separate process, because a file server that does
 * not respond could hold it up indefinitely; one process for all tasks, because its start takes
 * more CPU time than a task.
 */
public final class FlushMain {
  private static final int FAILED = 1;

  private FlushMain() {}

  public static void main(String[] args) throws IOException {
    try {
      // Not buffered: each write is complete.
      serve(System.in, new FileOutputStream(FileDescriptor.out));
    } catch (BadMessageException e) {
      System.err.println("fmi: this class is started by fmirun's daemon; do not start it by hand");
      System.exit(FAILED);
    }
  }

  /** Executes tasks until there are no more. */
  static void serve(InputStream from, OutputStream to) throws IOException {
    MovingTarget target = new MovingTarget(new PosixTarget(), () -> moved(to));
    for (FlushTask task; (task = FlushCodec.readTask(from)) != null; ) {
      target.moved(); // it has begun
      FlushCodec.write(to, result(task, target));
    }
  }

  /** Reports a step to the daemon. */
  private static void moved(OutputStream to) {
    try {
      FlushCodec.writeMoved(to);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the daemon is gone
    }
  }

  static FlushResult result(FlushTask task, MovingTarget target) {
    try {
      try {
        return work(task, target);
      } catch (FullException e) {
        Publication files = new Publication(target, Path.of(task.directory()));
        if (!files.makeRoom(task.job(), task.version(), task.oldest())) {
          throw e;
        }
        return work(task, target);
      }
    } catch (FullException e) {
      return new FlushResult.Failed(String.valueOf(e.getMessage()), true);
    } catch (IOException e) {
      return new FlushResult.Failed(reason(task.directory(), e), false);
    }
  }

  /** Returns the reason of a failure, with the file concerned. */
  private static String reason(String directory, IOException e) {
    return switch (e) {
      case NoSuchFileException of ->
          of.getFile()
              + ": does not exist"
              + (Files.isDirectory(Path.of(directory))
                  ? ""
                  : "; " + directory + " existed when the job started: is it still mounted?");
      case AccessDeniedException of -> of.getFile() + ": permission denied";
      case FileSystemException of -> String.valueOf(of.getMessage()); // which names the file
      case UnusableException of -> String.valueOf(of.getMessage());
      case NotStoredException of -> String.valueOf(of.getMessage());
      default -> directory + ": " + Refusal.text(e);
    };
  }

  private static FlushResult work(FlushTask task, MovingTarget target) throws IOException {
    return switch (task) {
      case FlushTask.Write write -> write(write, target);
      case FlushTask.Publish publish -> {
        Publication files = new Publication(target, Path.of(publish.directory()));
        files.publish(publish.job(), publish.version(), publish.manifest());
        files.retain(publish.job(), publish.keep(), false, false);
        yield new FlushResult.Published();
      }
    };
  }

  private static FlushResult write(FlushTask.Write task, MovingTarget target) throws IOException {
    Path pieces = Path.of(task.pieces());
    Pace pace = new Pace(task.bytesPerSecond(), System.nanoTime(), target::moved);
    List<NodeFileWriter.Image> images = new ArrayList<>();
    for (FlushTask.OfRank of : task.ranks()) {
      for (PinnedImage image : of.images()) {
        images.add(
            new NodeFileWriter.Image(
                of.rank(),
                image.id(),
                image.bytes(),
                () -> new PieceContent(pieces, of.rank(), image, pace)));
      }
    }
    FileFacts facts =
        new NodeFileWriter(target)
            .write(
                Path.of(task.directory()),
                new NodeFileHead(
                    task.job(), task.size(), task.node(), task.epoch(), task.version()),
                images);
    return new FlushResult.Written(
        facts.name(),
        facts.bytes(),
        facts.digest(),
        facts.ranks().stream().mapToInt(Integer::intValue).toArray());
  }
}
