package org.fmi.job.control;

import org.fmi.control.Pinned;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.PinnedImage;

/** How what concerns checkpoints on files is written inside of control messages. */
final class Level2Parts {
  private Level2Parts() {}

  static void putId(MessageWriter out, CheckpointId id) {
    out.putLong(id.version()).putLong(id.loop()).putLong(id.iteration()).putBoolean(id.last());
  }

  static CheckpointId getId(MessageReader in) throws BadMessageException {
    return new CheckpointId(in.getLong(), in.getLong(), in.getLong(), in.getBoolean());
  }

  static void putPinned(MessageWriter out, Pinned pinned) {
    out.putInt(pinned.epoch())
        .putLong(pinned.version())
        .putList(pinned.images(), Level2Parts::putImage);
  }

  static Pinned getPinned(MessageReader in) throws BadMessageException {
    return new Pinned(in.getInt(), in.getLong(), in.getList(Level2Parts::getImage));
  }

  static void putImage(MessageWriter out, PinnedImage image) {
    putId(out, image.id());
    out.putString(image.piece())
        .putLong(image.at())
        .putLong(image.bytes())
        .putInts(image.lengths())
        .putInts(image.sums());
  }

  static PinnedImage getImage(MessageReader in) throws BadMessageException {
    return new PinnedImage(
        getId(in), in.getString(), in.getLong(), in.getLong(), in.getInts(), in.getInts());
  }

  static void putPlan(MessageWriter out, Level2Plan plan) {
    out.putLong(plan.every())
        .putString(plan.directory())
        .putList(
            plan.origins(),
            (to, origin) ->
                to.putString(origin.generation())
                    .putString(origin.path())
                    .putInt(origin.digest())
                    .putList(origin.needed(), Level2Parts::putId))
        .putList(plan.others(), Level2Parts::putOthers);
  }

  static Level2Plan getPlan(MessageReader in) throws BadMessageException {
    return new Level2Plan(
        in.getLong(),
        in.getString(),
        in.getList(
            from ->
                new Level2Plan.Origin(
                    from.getString(),
                    from.getString(),
                    from.getInt(),
                    from.getList(Level2Parts::getId))),
        in.getList(Level2Parts::getOthers));
  }

  static void putSetup(MessageWriter out, Level2Setup setup) {
    out.putString(setup.directory())
        .putLong(setup.every())
        .putLong(setup.stallMillis())
        .putLong(setup.bytesPerSecond())
        .putList(setup.origins(), Level2Parts::putOrigin)
        .putList(setup.others(), Level2Parts::putOthers);
  }

  static Level2Setup getSetup(MessageReader in) throws BadMessageException {
    return new Level2Setup(
        in.getString(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getList(Level2Parts::getOrigin),
        in.getList(Level2Parts::getOthers));
  }

  private static void putOrigin(MessageWriter out, Level2Setup.Origin origin) {
    out.putString(origin.name())
        .putList(origin.needed(), Level2Parts::putId)
        .putList(origin.files(), Level2Parts::putFile);
  }

  private static Level2Setup.Origin getOrigin(MessageReader in) throws BadMessageException {
    return new Level2Setup.Origin(
        in.getString(), in.getList(Level2Parts::getId), in.getList(Level2Parts::getFile));
  }

  private static void putFile(MessageWriter out, Level2Plan.OfRanks file) {
    out.putString(file.path()).putInt(file.digest()).putInts(file.ranks());
  }

  private static Level2Plan.OfRanks getFile(MessageReader in) throws BadMessageException {
    return new Level2Plan.OfRanks(in.getString(), in.getInt(), in.getInts());
  }

  private static void putOthers(MessageWriter out, Level2Plan.Others others) {
    out.putString(others.generation())
        .putInt(others.size())
        .putList(others.needed(), Level2Parts::putId)
        .putList(others.files(), Level2Parts::putFile);
  }

  private static Level2Plan.Others getOthers(MessageReader in) throws BadMessageException {
    return new Level2Plan.Others(
        in.getString(),
        in.getInt(),
        in.getList(Level2Parts::getId),
        in.getList(Level2Parts::getFile));
  }

  static void putOrder(MessageWriter out, Level2Order order) {
    switch (order) {
      case Level2Order.Flush m -> out.putByte(1).putLong(m.version()).putLong(m.oldest());
      case Level2Order.Publish m ->
          out.putByte(2)
              .putLong(m.version())
              .putLong(m.oldest())
              .putBytes(m.manifest())
              .putInt(m.keep());
    }
  }

  static Level2Order getOrder(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    return switch (type) {
      case 1 -> new Level2Order.Flush(in.getLong(), in.getLong());
      case 2 -> new Level2Order.Publish(in.getLong(), in.getLong(), in.getBytes(), in.getInt());
      default -> throw new BadMessageException("unknown order " + type);
    };
  }

  static void putReport(MessageWriter out, Level2Report report) {
    switch (report) {
      case Level2Report.Ready m ->
          out.putByte(1)
              .putInt(m.epoch())
              .putList(m.needed(), Level2Parts::putId)
              .putInts(m.ranks());
      case Level2Report.Written m ->
          out.putByte(2)
              .putLong(m.version())
              .putString(m.name())
              .putLong(m.bytes())
              .putInt(m.digest())
              .putInts(m.ranks());
      case Level2Report.Published m -> out.putByte(3).putLong(m.version());
      case Level2Report.Failed m ->
          out.putByte(4).putLong(m.version()).putString(m.reason()).putBoolean(m.full());
      case Level2Report.Starved m -> out.putByte(5).putLong(m.version());
    }
  }

  static Level2Report getReport(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    return switch (type) {
      case 1 -> new Level2Report.Ready(in.getInt(), in.getList(Level2Parts::getId), in.getInts());
      case 2 ->
          new Level2Report.Written(
              in.getLong(), in.getString(), in.getLong(), in.getInt(), in.getInts());
      case 3 -> new Level2Report.Published(in.getLong());
      case 4 -> new Level2Report.Failed(in.getLong(), in.getString(), in.getBoolean());
      case 5 -> new Level2Report.Starved(in.getLong());
      default -> throw new BadMessageException("unknown report " + type);
    };
  }
}
