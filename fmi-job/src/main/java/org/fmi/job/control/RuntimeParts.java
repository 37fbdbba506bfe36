package org.fmi.job.control;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.MeterReading;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Fault;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/** How the messages and settings of fmi-core are written inside of control messages. */
final class RuntimeParts {
  private RuntimeParts() {}

  static void putRankMessage(MessageWriter out, RankMessage message) {
    switch (message) {
      case RankMessage.Joined m ->
          out.putByte(1)
              .putInt(m.epoch())
              .putString(m.position().name())
              .putLong(m.standing().loop())
              .putLong(m.standing().version())
              .putBoolean(m.standing().goesOn())
              .putString(m.standing().reason())
              .putMap(m.addresses(), MessageWriter::putBytes);
      case RankMessage.Connected m -> out.putByte(2).putInt(m.epoch()).putString(m.overlay());
      case RankMessage.Running m ->
          out.putByte(3)
              .putInt(m.epoch())
              .putLong(m.loop())
              .putLong(m.iteration())
              .putBoolean(m.rebuilt());
      case RankMessage.Suspect m ->
          out.putByte(4)
              .putInt(m.epoch())
              .putInt(m.rank())
              .putInt(m.hops())
              .putLong(m.heardNanos())
              .putString(m.overlay())
              .putString(m.reason());
      case RankMessage.CheckpointDone m ->
          out.putByte(5)
              .putInt(m.epoch())
              .putLong(m.version())
              .putLong(m.loop())
              .putLong(m.iteration())
              .putLong(m.furthest())
              .putBoolean(m.last())
              .putLong(m.bytes())
              .putLong(m.codedBytes())
              .putLong(m.copyNanos())
              .putLong(m.encodeNanos())
              .putLong(m.commitNanos());
      case RankMessage.AtFault m -> out.putByte(6).putInt(m.fault());
      case RankMessage.RestartNeeded m -> out.putByte(7).putInt(m.epoch()).putString(m.reason());
      case RankMessage.Unrecoverable m ->
          out.putByte(8).putInt(m.epoch()).putBoolean(m.checkpointsLost()).putString(m.reason());
      case RankMessage.Finished m -> out.putByte(9).putInt(m.epoch());
      case RankMessage.Abort m -> out.putByte(10).putInt(m.status());
      case RankMessage.Failed m ->
          out.putByte(11).putLong(m.loop()).putLong(m.iteration()).putString(m.trace());
      case RankMessage.Left m ->
          out.putByte(13).putInt(m.epoch()).putLong(m.loop()).putLong(m.iteration());
      case RankMessage.FilesRead m ->
          out.putByte(14)
              .putInt(m.epoch())
              .putString(m.generation())
              .putLong(m.loop())
              .putLong(m.iteration())
              .putString(m.ranks());
      case RankMessage.ProgramFault m -> out.putByte(12).putInt(m.epoch()).putString(m.reason());
      case RankMessage.Stops m -> {
        out.putByte(16).putInt(m.epoch()).putLong(m.request());
        putPoint(out, m.first());
      }
      case RankMessage.CheckpointWanted m -> {
        out.putByte(17).putInt(m.epoch());
        putPoint(out, m.least());
        out.putBoolean(m.files());
      }
      case RankMessage.Chooses m -> out.putByte(18).putLong(m.loop()).putString(m.choice());
      case RankMessage.Chose m ->
          out.putByte(22)
              .putInt(m.rank())
              .putLong(m.committed())
              .putLong(m.version())
              .putInt(m.first())
              .putLongs(m.determinants());
      case RankMessage.LocalImpossible m -> out.putByte(19).putInt(m.epoch()).putString(m.reason());
      case RankMessage.Notify m -> {
        out.putByte(15);
        putNotice(out, m.notice());
      }
    }
  }

  private static void putNotice(MessageWriter out, Notice.ByRank notice) {
    switch (notice) {
      case Notice.GoesOn n ->
          out.putByte(1)
              .putInt(n.epoch())
              .putInt(n.rank())
              .putLong(n.loop())
              .putLong(n.iteration())
              .putLong(n.messages())
              .putLong(n.bytes());
      case Notice.CaughtUp n ->
          out.putByte(2)
              .putInt(n.epoch())
              .putInt(n.rank())
              .putLong(n.loop())
              .putLong(n.from())
              .putLong(n.iteration())
              .putLong(n.repeated());
      case Notice.LogFills n ->
          out.putByte(3)
              .putInt(n.epoch())
              .putInt(n.rank())
              .putLong(n.loop())
              .putLong(n.iteration())
              .putLong(n.bytes())
              .putLong(n.limit());
      case Notice.LogFull n ->
          out.putByte(4)
              .putInt(n.epoch())
              .putInt(n.rank())
              .putLong(n.loop())
              .putLong(n.iteration())
              .putLong(n.since())
              .putLong(n.bytes())
              .putLong(n.limit())
              .putLong(n.interval())
              .putLong(n.needed());
      case Notice.FlowBegun n ->
          out.putByte(5)
              .putInt(n.epoch())
              .putLong(n.loop())
              .putLong(n.from())
              .putLong(n.to())
              .putString(n.lost())
              .putString(n.helpers())
              .putLong(n.computed())
              .putString(n.computedBy());
      case Notice.FlowImpossible n ->
          out.putByte(6).putInt(n.epoch()).putLong(n.loop()).putString(n.reason());
      case Notice.LoopDone n ->
          out.putByte(7)
              .putInt(n.epoch())
              .putInt(n.rank())
              .putLong(n.loop())
              .putLong(n.completed())
              .putLong(n.repeated())
              .putLong(n.logged())
              .putLong(n.loggedBytes());
      case Notice.Degraded n -> out.putByte(8).putString(n.what());
      case Notice.Warned n ->
          out.putByte(9).putInt(n.rank()).putString(n.about()).putString(n.what());
    }
  }

  private static Notice.ByRank getNotice(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    return switch (type) {
      case 1 ->
          new Notice.GoesOn(
              in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
      case 2 ->
          new Notice.CaughtUp(
              in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
      case 3 ->
          new Notice.LogFills(
              in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
      case 4 ->
          new Notice.LogFull(
              in.getInt(),
              in.getInt(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong());
      case 5 ->
          new Notice.FlowBegun(
              in.getInt(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getString(),
              in.getString(),
              in.getLong(),
              in.getString());
      case 6 -> new Notice.FlowImpossible(in.getInt(), in.getLong(), in.getString());
      case 7 ->
          new Notice.LoopDone(
              in.getInt(),
              in.getInt(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong());
      case 8 -> new Notice.Degraded(in.getString());
      case 9 -> new Notice.Warned(in.getInt(), in.getString(), in.getString());
      default -> throw new BadMessageException("unknown notice " + type);
    };
  }

  private static void putPoint(MessageWriter out, LoopPoint point) {
    out.putLong(point.loop()).putLong(point.iteration()).putBoolean(point.last());
  }

  private static LoopPoint getPoint(MessageReader in) throws BadMessageException {
    return new LoopPoint(in.getLong(), in.getLong(), in.getBoolean());
  }

  static RankMessage getRankMessage(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    return switch (type) {
      case 1 ->
          new RankMessage.Joined(
              in.getInt(),
              in.getEnum(RankMessage.Position.class),
              new RankMessage.Standing(in.getLong(), in.getLong(), in.getBoolean(), in.getString()),
              in.getMap(MessageReader::getBytes));
      case 2 -> new RankMessage.Connected(in.getInt(), in.getString());
      case 3 -> new RankMessage.Running(in.getInt(), in.getLong(), in.getLong(), in.getBoolean());
      case 4 ->
          new RankMessage.Suspect(
              in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getString(), in.getString());
      case 5 ->
          new RankMessage.CheckpointDone(
              in.getInt(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getBoolean(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong());
      case 6 -> new RankMessage.AtFault(in.getInt());
      case 7 -> new RankMessage.RestartNeeded(in.getInt(), in.getString());
      case 8 -> new RankMessage.Unrecoverable(in.getInt(), in.getBoolean(), in.getString());
      case 9 -> new RankMessage.Finished(in.getInt());
      case 10 -> new RankMessage.Abort(in.getInt());
      case 11 -> new RankMessage.Failed(in.getLong(), in.getLong(), in.getString());
      case 12 -> new RankMessage.ProgramFault(in.getInt(), in.getString());
      case 13 -> new RankMessage.Left(in.getInt(), in.getLong(), in.getLong());
      case 14 ->
          new RankMessage.FilesRead(
              in.getInt(), in.getString(), in.getLong(), in.getLong(), in.getString());
      case 15 -> new RankMessage.Notify(getNotice(in));
      case 16 -> new RankMessage.Stops(in.getInt(), in.getLong(), getPoint(in));
      case 17 -> new RankMessage.CheckpointWanted(in.getInt(), getPoint(in), in.getBoolean());
      case 18 -> new RankMessage.Chooses(in.getLong(), in.getString());
      case 19 -> new RankMessage.LocalImpossible(in.getInt(), in.getString());
      case 22 ->
          new RankMessage.Chose(
              in.getInt(), in.getLong(), in.getLong(), in.getInt(), in.getLongs());
      default -> throw new BadMessageException("unknown rank message " + type);
    };
  }

  private static void putMeter(MessageWriter out, MeterReading meter) {
    out.putString(meter.name())
        .putString(meter.type())
        .putString(meter.unit())
        .putString(meter.description())
        .putMap(meter.tags(), MessageWriter::putString)
        .putMap(meter.values(), (to, value) -> to.putLong(Double.doubleToLongBits(value)));
  }

  private static MeterReading getMeter(MessageReader in) throws BadMessageException {
    return new MeterReading(
        in.getString(),
        in.getString(),
        in.getString(),
        in.getString(),
        in.getMap(MessageReader::getString),
        in.getMap(from -> Double.longBitsToDouble(from.getLong())));
  }

  static void putReport(MessageWriter out, RankReport report) {
    RankReport.Waiting waiting = report.waiting();
    out.putInt(report.epoch())
        .putString(report.place())
        .putLong(report.loop())
        .putLong(report.iteration())
        .putLong(report.iterations())
        .putInt(report.counters().size());
    report.counters().forEach((counter, value) -> out.putString(counter.name()).putLong(value));
    out.putBoolean(waiting != null);
    if (waiting != null) {
      out.putString(waiting.operation())
          .putInt(waiting.peer())
          .putInt(waiting.tag())
          .putString(waiting.communicator())
          .putLong(waiting.nanos());
      putUntaken(out, waiting.untaken());
    }
    out.putInt(report.meters().size());
    report.meters().forEach(meter -> putMeter(out, meter));
  }

  static RankReport getReport(MessageReader in) throws BadMessageException {
    int epoch = in.getInt();
    String place = in.getString();
    long loop = in.getLong();
    long iteration = in.getLong();
    long iterations = in.getLong();
    Map<Counter, Long> counters = new EnumMap<>(Counter.class);
    for (int n = in.getInt(); n > 0; n--) {
      counters.put(in.getEnum(Counter.class), in.getLong());
    }
    RankReport.Waiting waiting =
        in.getBoolean()
            ? new RankReport.Waiting(
                in.getString(),
                in.getInt(),
                in.getInt(),
                in.getString(),
                in.getLong(),
                getUntaken(in))
            : null;
    List<MeterReading> meters = new ArrayList<>();
    for (int n = in.getInt(); n > 0; n--) {
      meters.add(getMeter(in));
    }
    return new RankReport(epoch, place, loop, iteration, iterations, waiting, counters, meters);
  }

  private static void putUntaken(MessageWriter out, RankReport.@Nullable Untaken untaken) {
    out.putBoolean(untaken != null);
    if (untaken != null) {
      out.putInt(untaken.peer())
          .putInt(untaken.tag())
          .putLong(untaken.messages())
          .putLong(untaken.bytes());
    }
  }

  private static RankReport.@Nullable Untaken getUntaken(MessageReader in)
      throws BadMessageException {
    return in.getBoolean()
        ? new RankReport.Untaken(in.getInt(), in.getInt(), in.getLong(), in.getLong())
        : null;
  }

  static void putJobMessage(MessageWriter out, JobMessage message) {
    switch (message) {
      case JobMessage.Revoke m ->
          out.putByte(1)
              .putInt(m.epoch())
              .putInt(m.failed())
              .putList(m.without(), MessageWriter::putString);
      case JobMessage.Start m -> {
        out.putByte(2).putInt(m.epoch()).putBoolean(m.rollback()).putLong(m.local());
        AddressCodec.put(out, m.endpoints());
      }
      case JobMessage.Release _ -> out.putByte(3);
      case JobMessage.Hold m -> out.putByte(4).putInt(m.epoch()).putLong(m.request());
      case JobMessage.Meet m -> {
        out.putByte(5).putInt(m.epoch()).putLong(m.request());
        putPoint(out, m.at());
        out.putBoolean(m.files());
      }
      case JobMessage.WriteNext _ -> out.putByte(7);
      case JobMessage.Noted m -> out.putByte(8).putLong(m.loop());
      case JobMessage.Kept _ -> out.putByte(9);
      case JobMessage.Decided m -> out.putByte(10).putInt(m.epoch()).putLongs(m.determinants());
      case JobMessage.Begin m ->
          out.putByte(11).putInt(m.epoch()).putLong(m.request()).putLong(m.newest());
      case JobMessage.Settle m -> out.putByte(12).putInt(m.epoch()).putLong(m.request());
      case JobMessage.GoOn m -> out.putByte(6).putInt(m.epoch()).putLong(m.request());
    }
  }

  static JobMessage getJobMessage(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    return switch (type) {
      case 1 ->
          new JobMessage.Revoke(
              in.getInt(), in.getInt(), List.copyOf(in.getList(MessageReader::getString)));
      case 2 ->
          new JobMessage.Start(in.getInt(), in.getBoolean(), in.getLong(), AddressCodec.get(in));
      case 3 -> new JobMessage.Release();
      case 4 -> new JobMessage.Hold(in.getInt(), in.getLong());
      case 5 -> new JobMessage.Meet(in.getInt(), in.getLong(), getPoint(in), in.getBoolean());
      case 6 -> new JobMessage.GoOn(in.getInt(), in.getLong());
      case 7 -> new JobMessage.WriteNext();
      case 8 -> new JobMessage.Noted(in.getLong());
      case 9 -> new JobMessage.Kept();
      case 10 -> new JobMessage.Decided(in.getInt(), in.getLongs());
      case 11 -> new JobMessage.Begin(in.getInt(), in.getLong(), in.getLong());
      case 12 -> new JobMessage.Settle(in.getInt(), in.getLong());
      default -> throw new BadMessageException("unknown job message " + type);
    };
  }

  static void putFault(MessageWriter out, Fault fault) {
    out.putInt(fault.id()).putString(fault.point().name()).putLong(fault.iteration());
  }

  static Fault getFault(MessageReader in) throws BadMessageException {
    return new Fault(in.getInt(), in.getEnum(FaultPoint.class), in.getLong());
  }

  static void putInterval(MessageWriter out, CheckpointInterval interval) {
    switch (interval) {
      case CheckpointInterval.Every every -> out.putByte(1).putLong(every.iterations());
      case CheckpointInterval.Mtbf mtbf ->
          out.putByte(2).putLong(Double.doubleToLongBits(mtbf.seconds()));
      case CheckpointInterval.ByTime time ->
          out.putByte(3).putLong(Double.doubleToLongBits(time.seconds()));
    }
  }

  static CheckpointInterval getInterval(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    long value = in.getLong();
    try {
      return switch (type) {
        case 1 -> new CheckpointInterval.Every(value);
        case 2 -> new CheckpointInterval.Mtbf(Double.longBitsToDouble(value));
        case 3 -> new CheckpointInterval.ByTime(Double.longBitsToDouble(value));
        default -> throw new BadMessageException("unknown checkpoint interval " + type);
      };
    } catch (IllegalArgumentException e) {
      throw new BadMessageException(String.valueOf(e.getMessage()));
    }
  }

  static void putPolicy(MessageWriter out, RecoveryPolicy policy) {
    switch (policy) {
      case RecoveryPolicy.Global p ->
          out.putByte(1).putBoolean(p.overlapped()).putBoolean(p.files());
      case RecoveryPolicy.Local p -> {
        putLog(out.putByte(2), p.log());
        out.putBoolean(p.overlapped()).putBoolean(p.files());
      }
      case RecoveryPolicy.Flow p -> {
        putLog(out.putByte(3).putInt(p.limit()), p.log());
        out.putBoolean(p.files());
      }
      case RecoveryPolicy.Checked p -> out.putByte(4).putBoolean(p.files());
    }
  }

  private static void putLog(MessageWriter out, RecoveryPolicy.@Nullable Log log) {
    switch (log) {
      case null -> out.putByte(0);
      case RecoveryPolicy.Log.OfState _ -> out.putByte(1);
      case RecoveryPolicy.Log.OfBytes l -> out.putByte(2).putLong(l.bytes());
    }
  }

  static RecoveryPolicy getPolicy(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    try {
      return switch (type) {
        case 1 -> new RecoveryPolicy.Global(in.getBoolean(), in.getBoolean());
        case 2 -> {
          RecoveryPolicy.Log log = getLog(in);
          if (log == null) {
            throw new BadMessageException("ranks that roll back alone need a log");
          }
          yield new RecoveryPolicy.Local(log, in.getBoolean(), in.getBoolean());
        }
        case 3 -> new RecoveryPolicy.Flow(in.getInt(), getLog(in), in.getBoolean());
        case 4 -> new RecoveryPolicy.Checked(in.getBoolean());
        default -> throw new BadMessageException("unknown recovery policy " + type);
      };
    } catch (IllegalArgumentException e) {
      throw new BadMessageException(String.valueOf(e.getMessage()));
    }
  }

  private static RecoveryPolicy.@Nullable Log getLog(MessageReader in) throws BadMessageException {
    int type = in.getByte();
    return switch (type) {
      case 0 -> null;
      case 1 -> new RecoveryPolicy.Log.OfState();
      case 2 -> new RecoveryPolicy.Log.OfBytes(in.getLong());
      default -> throw new BadMessageException("unknown log limit " + type);
    };
  }

  static void putRankConfig(MessageWriter out, RankConfig config) {
    out.putString(config.jobId())
        .putBytes(config.secret())
        .putInt(config.rank())
        .putInt(config.size())
        .putInt(config.incarnation())
        .putString(config.host())
        .putInt(config.node())
        .putString(config.nodeDirectory())
        .putString(config.pieceDirectory())
        .putInt(config.ranksOnNode())
        .putInt(config.ranksOnMachine())
        .putInt(config.cores())
        .putInts(config.group())
        .putInt(config.groupLosses())
        .putInt(config.logRingBase())
        .putInt(config.heartbeatTimeoutMillis())
        .putLong(config.recordLimitBytes())
        .putLong(config.sendBufferBytes());
    putInterval(out, config.interval());
    out.putList(config.transports(), MessageWriter::putString);
    putPolicy(out, config.policy());
    Level2Parts.putPlan(out, config.level2());
    out.putList(config.faults(), RuntimeParts::putFault);
  }

  static RankConfig getRankConfig(MessageReader in) throws BadMessageException {
    return RankConfig.builder()
        .jobId(in.getString())
        .secret(in.getBytes())
        .rank(in.getInt())
        .size(in.getInt())
        .incarnation(in.getInt())
        .host(in.getString())
        .node(in.getInt())
        .nodeDirectory(in.getString())
        .pieceDirectory(in.getString())
        .ranksOnNode(in.getInt())
        .ranksOnMachine(in.getInt())
        .cores(in.getInt())
        .group(in.getInts())
        .groupLosses(in.getInt())
        .logRingBase(in.getInt())
        .heartbeatTimeoutMillis(in.getInt())
        .recordLimitBytes(in.getLong())
        .sendBufferBytes(in.getLong())
        .interval(getInterval(in))
        .transports(List.copyOf(in.getList(MessageReader::getString)))
        .policy(getPolicy(in))
        .level2(Level2Parts.getPlan(in))
        .faults(List.copyOf(in.getList(RuntimeParts::getFault)))
        .build();
  }
}
