package org.fmi.job.control;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The protocol between a daemon and its helper: the daemon sends tasks; for each task, the helper
 * sends a byte from time to time while it makes progress, and then the result.
 *
 * <pre>
 *   daemon: length of the task, task, length of the next one, ...
 *   helper: MOVED ... MOVED, ENDED, length of the result, result, MOVED ...
 * </pre>
 */
public final class FlushCodec {
  private static final int MOVED = 0;
  private static final int ENDED = 1;

  /** More than any node's task needs: a larger length is invalid. */
  private static final int MOST_BYTES = 1 << 30;

  private FlushCodec() {}

  /** Sends a task to the helper. */
  public static void write(OutputStream to, FlushTask task) throws IOException {
    writeWhole(to, FlushTaskCodec.encode(task));
  }

  /**
   * Waits for a task.
   *
   * @return null if there are no more
   */
  public static @Nullable FlushTask readTask(InputStream from) throws IOException {
    byte[] length = from.readNBytes(Integer.BYTES);
    return length.length == 0
        ? null
        : FlushTaskCodec.decode(readWhole(from, ByteBuffer.wrap(length)));
  }

  /** Reports progress to the daemon. */
  public static void writeMoved(OutputStream to) throws IOException {
    to.write(MOVED);
    to.flush();
  }

  /** Reports the end of the task to the daemon. */
  public static void write(OutputStream to, FlushResult result) throws IOException {
    to.write(ENDED);
    writeWhole(to, FlushResultCodec.encode(result));
  }

  /**
   * Waits for the end of a task.
   *
   * @param moved called for each report of progress
   * @return null if the helper has ended before
   */
  public static @Nullable FlushResult readResult(InputStream from, Runnable moved)
      throws IOException {
    int type;
    while ((type = from.read()) == MOVED) {
      moved.run();
    }
    if (type < 0) {
      return null;
    }
    try {
      return FlushResultCodec.decode(
          readWhole(from, ByteBuffer.wrap(from.readNBytes(Integer.BYTES))));
    } catch (EOFException e) {
      return null; // killed while writing
    }
  }

  private static void writeWhole(OutputStream to, byte[] message) throws IOException {
    ByteBuffer whole = ByteBuffer.allocate(Integer.BYTES + message.length);
    to.write(whole.putInt(message.length).put(message).array());
    to.flush();
  }

  private static ByteBuffer readWhole(InputStream from, ByteBuffer length) throws IOException {
    if (length.remaining() < Integer.BYTES) {
      throw new EOFException();
    }
    int bytes = length.getInt();
    if (bytes < 0 || bytes > MOST_BYTES) {
      throw new BadMessageException("a message of " + bytes + " bytes");
    }
    byte[] message = from.readNBytes(bytes);
    if (message.length < bytes) {
      throw new EOFException();
    }
    return ByteBuffer.wrap(message);
  }
}
