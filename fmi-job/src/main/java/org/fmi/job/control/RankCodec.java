package org.fmi.job.control;

import java.nio.ByteBuffer;

/** Writes and reads what a daemon and a rank's process tell each other. */
public final class RankCodec {
  private RankCodec() {}

  public static byte[] encode(ToRank message) {
    return switch (message) {
      case ToRank.Assign m -> {
        MessageWriter out = new MessageWriter(1);
        RuntimeParts.putRankConfig(out, m.config());
        yield out.putInts(m.ownCore()).putInt(m.localRank()).toBytes();
      }
      case ToRank.Tell m -> {
        MessageWriter out = new MessageWriter(2);
        RuntimeParts.putJobMessage(out, m.message());
        yield out.toBytes();
      }
      case ToRank.WarmUp m -> new MessageWriter(3).putString(m.directory()).toBytes();
      case ToRank.HoldLifeline _ -> new MessageWriter(4).toBytes();
      case ToRank.Stack _ -> new MessageWriter(5).toBytes();
      case ToRank.Begin m ->
          new MessageWriter(6)
              .putInt(m.epoch())
              .putBoolean(m.rollback())
              .putLong(m.local())
              .putString(m.endpoints())
              .toBytes();
    };
  }

  /**
   * @throws BadMessageException if the bytes are no such message
   */
  public static ToRank decodeToRank(ByteBuffer bytes) throws BadMessageException {
    MessageReader in = new MessageReader(bytes);
    return in.end(
        switch (in.type()) {
          case 1 -> new ToRank.Assign(RuntimeParts.getRankConfig(in), in.getInts(), in.getInt());
          case 2 -> new ToRank.Tell(RuntimeParts.getJobMessage(in));
          case 3 -> new ToRank.WarmUp(in.getString());
          case 4 -> new ToRank.HoldLifeline();
          case 5 -> new ToRank.Stack();
          case 6 -> new ToRank.Begin(in.getInt(), in.getBoolean(), in.getLong(), in.getString());
          default -> throw in.unknownType();
        });
  }

  public static byte[] encode(FromRank message) {
    return switch (message) {
      case FromRank.Hello m -> new MessageWriter(1).putLong(m.pid()).toBytes();
      case FromRank.Said m -> {
        MessageWriter out = new MessageWriter(2);
        RuntimeParts.putRankMessage(out, m.message());
        yield out.toBytes();
      }
      case FromRank.Exiting _ -> new MessageWriter(3).toBytes();
      case FromRank.LifelineHeld _ -> new MessageWriter(4).toBytes();
      case FromRank.Shown m -> {
        MessageWriter out = new MessageWriter(5);
        RuntimeParts.putReport(out, m.report());
        yield out.toBytes();
      }
      case FromRank.Offered m -> {
        MessageWriter out = new MessageWriter(7);
        Level2Parts.putPinned(out, m.pinned());
        yield out.toBytes();
      }
      case FromRank.Stack m -> new MessageWriter(6).putString(m.text()).toBytes();
      case FromRank.Idle m -> new MessageWriter(8).putBoolean(m.waits()).toBytes();
      case FromRank.ReadsInput _ -> new MessageWriter(9).toBytes();
    };
  }

  /**
   * @throws BadMessageException if the bytes are no such message
   */
  public static FromRank decodeFromRank(ByteBuffer bytes) throws BadMessageException {
    MessageReader in = new MessageReader(bytes);
    return in.end(
        switch (in.type()) {
          case 1 -> new FromRank.Hello(in.getLong());
          case 2 -> new FromRank.Said(RuntimeParts.getRankMessage(in));
          case 3 -> new FromRank.Exiting();
          case 4 -> new FromRank.LifelineHeld();
          case 5 -> new FromRank.Shown(RuntimeParts.getReport(in));
          case 6 -> new FromRank.Stack(in.getString());
          case 7 -> new FromRank.Offered(Level2Parts.getPinned(in));
          case 8 -> new FromRank.Idle(in.getBoolean());
          case 9 -> new FromRank.ReadsInput();
          default -> throw in.unknownType();
        });
  }
}
