package org.fmi.run.flush;

import java.io.IOException;
import java.nio.ByteBuffer;
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
import org.fmi.ckpt.files.Target;
import org.fmi.ckpt.files.UnusableException;
import org.fmi.control.Pinned;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.spi.CheckpointId;

/**
 * The main class of the daemon's helper: takes a task from its standard input, does it, and writes
 * the result to its standard output. A process of its own, as a file server that does not answer
 * would hold it up for as long as it likes.
 */
public final class FlushMain {
  private static final int FAILED = 1;

  private FlushMain() {}

  public static void main(String[] args) throws IOException {
    FlushTask task;
    try {
      task = FlushCodec.decodeTask(ByteBuffer.wrap(System.in.readAllBytes()));
    } catch (BadMessageException e) {
      System.err.println("fmi: this class is started by a daemon of fmirun");
      System.exit(FAILED);
      return;
    }
    Target target = new MovingTarget(new PosixTarget(), FlushMain::moved);
    byte[] result = FlushCodec.encode(result(task, target));
    System.out.write(result, 0, result.length);
    System.out.flush();
  }

  /** Tells the daemon that a step is done. */
  private static void moved() {
    System.out.write(FlushCodec.MOVED);
    System.out.flush();
  }

  static FlushResult result(FlushTask task, Target target) {
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

  /** What went wrong, and with which file. */
  private static String reason(String directory, IOException e) {
    return switch (e) {
      case NoSuchFileException of ->
          of.getFile()
              + ": not there"
              + (Files.isDirectory(Path.of(directory))
                  ? ""
                  : "; " + directory + " was there when the job began: is it mounted?");
      case AccessDeniedException of -> of.getFile() + ": not allowed";
      case FileSystemException of -> String.valueOf(of.getMessage()); // which names the file
      case UnusableException of -> String.valueOf(of.getMessage());
      case NotStoredException of -> String.valueOf(of.getMessage());
      default -> directory + ": " + e.getMessage();
    };
  }

  private static FlushResult work(FlushTask task, Target target) throws IOException {
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

  private static FlushResult write(FlushTask.Write task, Target target) throws IOException {
    Path pieces = Path.of(task.pieces());
    Pace pace = new Pace(task.bytesPerSecond(), System.nanoTime());
    List<NodeFileWriter.Image> images = new ArrayList<>();
    for (FlushTask.OfRank of : task.ranks()) {
      for (Pinned.Image image : of.images()) {
        images.add(
            new NodeFileWriter.Image(
                of.rank(),
                new CheckpointId(image.version(), image.loop(), image.iteration(), image.last()),
                image.bytes(),
                () -> new PieceChannel(pieces, of.rank(), image, pace)));
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
