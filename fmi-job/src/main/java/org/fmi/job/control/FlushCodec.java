package org.fmi.job.control;

import java.nio.ByteBuffer;
import java.util.List;
import org.fmi.control.Pinned;

/**
 * Writes and reads what a daemon and its helper tell each other: a task; then, from the helper, a
 * byte {@link #MOVED} now and then, and the result.
 */
public final class FlushCodec {
  /** Something has been done; no result begins so. */
  public static final int MOVED = 0;

  private FlushCodec() {}

  public static byte[] encode(FlushTask message) {
    return switch (message) {
      case FlushTask.Write m ->
          new MessageWriter(1)
              .putString(m.directory())
              .putString(m.job())
              .putInt(m.size())
              .putInt(m.node())
              .putInt(m.epoch())
              .putLong(m.version())
              .putLong(m.oldest())
              .putLong(m.bytesPerSecond())
              .putString(m.pieces())
              .putList(m.ranks(), FlushCodec::putOfRank)
              .toBytes();
      case FlushTask.Publish m ->
          new MessageWriter(2)
              .putString(m.directory())
              .putString(m.job())
              .putLong(m.version())
              .putLong(m.oldest())
              .putBytes(m.manifest())
              .putInt(m.keep())
              .toBytes();
    };
  }

  /**
   * @throws BadMessageException if the bytes are no such message
   */
  public static FlushTask decodeTask(ByteBuffer bytes) throws BadMessageException {
    MessageReader in = new MessageReader(bytes);
    return in.end(
        switch (in.type()) {
          case 1 ->
              new FlushTask.Write(
                  in.getString(),
                  in.getString(),
                  in.getInt(),
                  in.getInt(),
                  in.getInt(),
                  in.getLong(),
                  in.getLong(),
                  in.getLong(),
                  in.getString(),
                  in.getList(FlushCodec::getOfRank));
          case 2 ->
              new FlushTask.Publish(
                  in.getString(),
                  in.getString(),
                  in.getLong(),
                  in.getLong(),
                  in.getBytes(),
                  in.getInt());
          default -> throw in.unknownType();
        });
  }

  public static byte[] encode(FlushResult message) {
    return switch (message) {
      case FlushResult.Written m ->
          new MessageWriter(1)
              .putString(m.name())
              .putLong(m.bytes())
              .putInt(m.digest())
              .putInts(m.ranks())
              .toBytes();
      case FlushResult.Published _ -> new MessageWriter(2).toBytes();
      case FlushResult.Failed m ->
          new MessageWriter(3).putString(m.reason()).putBoolean(m.full()).toBytes();
    };
  }

  /**
   * @throws BadMessageException if the bytes are no such message
   */
  public static FlushResult decodeResult(ByteBuffer bytes) throws BadMessageException {
    MessageReader in = new MessageReader(bytes);
    return in.end(
        switch (in.type()) {
          case 1 ->
              new FlushResult.Written(in.getString(), in.getLong(), in.getInt(), in.getInts());
          case 2 -> new FlushResult.Published();
          case 3 -> new FlushResult.Failed(in.getString(), in.getBoolean());
          default -> throw in.unknownType();
        });
  }

  private static void putOfRank(MessageWriter out, FlushTask.OfRank of) {
    out.putInt(of.rank()).putList(of.images(), Level2Parts::putImage);
  }

  private static FlushTask.OfRank getOfRank(MessageReader in) throws BadMessageException {
    int rank = in.getInt();
    List<Pinned.Image> images = in.getList(Level2Parts::getImage);
    return new FlushTask.OfRank(rank, images);
  }
}
