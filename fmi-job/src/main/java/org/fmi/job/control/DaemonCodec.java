package org.fmi.job.control;

import java.nio.ByteBuffer;

/** Writes and reads what fmirun and a daemon tell each other. */
public final class DaemonCodec {
  private DaemonCodec() {}

  public static byte[] encode(ToDaemon message) {
    return switch (message) {
      case ToDaemon.Setup m -> {
        MessageWriter out = new MessageWriter(1);
        putSetup(out, m.setup());
        yield out.toBytes();
      }
      case ToDaemon.Spawn m ->
          new MessageWriter(2)
              .putInt(m.rank())
              .putInt(m.incarnation())
              .putInts(m.group())
              .putInt(m.ranksOnNode())
              .putInt(m.ranksOnMachine())
              .putString(m.share().bound().name())
              .putInts(m.share().numbers())
              .putList(m.jvmOptions(), MessageWriter::putString)
              .putList(m.faults(), RuntimeParts::putFault)
              .toBytes();
      case ToDaemon.KillRank m ->
          new MessageWriter(3).putInt(m.rank()).putInt(m.incarnation()).toBytes();
      case ToDaemon.Tell m -> {
        MessageWriter out = new MessageWriter(4).putInt(m.rank()).putInt(m.incarnation());
        RuntimeParts.putJobMessage(out, m.message());
        yield out.toBytes();
      }
      case ToDaemon.TellAll m -> {
        MessageWriter out = new MessageWriter(5);
        RuntimeParts.putJobMessage(out, m.message());
        yield out.toBytes();
      }
      case ToDaemon.Standbys m ->
          new MessageWriter(6).putInt(m.count()).putInt(m.ranksOnMachine()).toBytes();
      case ToDaemon.Input m ->
          new MessageWriter(7).putInt(m.incarnation()).putBytes(m.bytes()).toBytes();
      case ToDaemon.OutputTaken m -> new MessageWriter(8).putInt(m.bytes()).toBytes();
      case ToDaemon.ShutDown _ -> new MessageWriter(9).toBytes();
      case ToDaemon.Terminate _ -> new MessageWriter(11).toBytes();
      case ToDaemon.Stack m -> new MessageWriter(12).putInt(m.rank()).toBytes();
      case ToDaemon.Level2 m -> {
        MessageWriter out = new MessageWriter(13);
        Level2Parts.putOrder(out, m.order());
        yield out.toBytes();
      }
    };
  }

  /**
   * @throws BadMessageException if the bytes are no such message
   */
  public static ToDaemon decodeToDaemon(ByteBuffer bytes) throws BadMessageException {
    MessageReader in = new MessageReader(bytes);
    return in.end(
        switch (in.type()) {
          case 1 -> new ToDaemon.Setup(getSetup(in));
          case 2 ->
              new ToDaemon.Spawn(
                  in.getInt(),
                  in.getInt(),
                  in.getInts(),
                  in.getInt(),
                  in.getInt(),
                  new CoreShare(in.getEnum(CoreShare.Bound.class), in.getInts()),
                  in.getList(MessageReader::getString),
                  in.getList(RuntimeParts::getFault));
          case 3 -> new ToDaemon.KillRank(in.getInt(), in.getInt());
          case 4 -> new ToDaemon.Tell(in.getInt(), in.getInt(), RuntimeParts.getJobMessage(in));
          case 5 -> new ToDaemon.TellAll(RuntimeParts.getJobMessage(in));
          case 6 -> new ToDaemon.Standbys(in.getInt(), in.getInt());
          case 7 -> new ToDaemon.Input(in.getInt(), in.getBytes());
          case 8 -> new ToDaemon.OutputTaken(in.getInt());
          case 9 -> new ToDaemon.ShutDown();
          case 11 -> new ToDaemon.Terminate();
          case 12 -> new ToDaemon.Stack(in.getInt());
          case 13 -> new ToDaemon.Level2(Level2Parts.getOrder(in));
          default -> throw in.unknownType();
        });
  }

  public static byte[] encode(FromDaemon message) {
    return switch (message) {
      case FromDaemon.Hello m ->
          new MessageWriter(1)
              .putInt(m.node())
              .putLong(m.pid())
              .putInt(m.whole())
              .putList(m.cores(), MessageWriter::putInts)
              .putLong(m.memoryFree())
              .putString(m.java())
              .toBytes();
      case FromDaemon.Ready _ -> new MessageWriter(2).toBytes();
      case FromDaemon.Refused m -> new MessageWriter(3).putString(m.reason()).toBytes();
      case FromDaemon.Warning m -> new MessageWriter(4).putString(m.text()).toBytes();
      case FromDaemon.RankExited m ->
          new MessageWriter(5)
              .putInt(m.rank())
              .putInt(m.incarnation())
              .putInt(m.status())
              .putBoolean(m.signaled())
              .toBytes();
      case FromDaemon.RankSilent m ->
          new MessageWriter(6).putInt(m.rank()).putInt(m.incarnation()).toBytes();
      case FromDaemon.Said m -> {
        MessageWriter out = new MessageWriter(7).putInt(m.rank()).putInt(m.incarnation());
        RuntimeParts.putRankMessage(out, m.message());
        yield out.toBytes();
      }
      case FromDaemon.Output m ->
          new MessageWriter(8)
              .putInt(m.rank())
              .putBoolean(m.error())
              .putBytes(m.bytes())
              .putBoolean(m.more())
              .toBytes();
      case FromDaemon.InputTaken m ->
          new MessageWriter(9).putInt(m.incarnation()).putInt(m.bytes()).toBytes();
      case FromDaemon.RankDying m ->
          new MessageWriter(10).putInt(m.rank()).putInt(m.incarnation()).toBytes();
      case FromDaemon.Reports m ->
          new MessageWriter(11).putList(m.reports(), DaemonCodec::putReport).toBytes();
      case FromDaemon.RankWasDying m ->
          new MessageWriter(12).putInt(m.rank()).putInt(m.incarnation()).toBytes();
      case FromDaemon.Stack m ->
          new MessageWriter(13).putInt(m.rank()).putLong(m.pid()).putString(m.text()).toBytes();
      case FromDaemon.Level2 m -> {
        MessageWriter out = new MessageWriter(14);
        Level2Parts.putReport(out, m.report());
        yield out.toBytes();
      }
      case FromDaemon.Terminated _ -> new MessageWriter(15).toBytes();
      case FromDaemon.InputWanted m -> new MessageWriter(16).putInt(m.incarnation()).toBytes();
    };
  }

  /**
   * @throws BadMessageException if the bytes are no such message
   */
  public static FromDaemon decodeFromDaemon(ByteBuffer bytes) throws BadMessageException {
    MessageReader in = new MessageReader(bytes);
    return in.end(
        switch (in.type()) {
          case 1 ->
              new FromDaemon.Hello(
                  in.getInt(),
                  in.getLong(),
                  in.getInt(),
                  in.getList(MessageReader::getInts),
                  in.getLong(),
                  in.getString());
          case 2 -> new FromDaemon.Ready();
          case 3 -> new FromDaemon.Refused(in.getString());
          case 4 -> new FromDaemon.Warning(in.getString());
          case 5 ->
              new FromDaemon.RankExited(in.getInt(), in.getInt(), in.getInt(), in.getBoolean());
          case 6 -> new FromDaemon.RankSilent(in.getInt(), in.getInt());
          case 7 -> new FromDaemon.Said(in.getInt(), in.getInt(), RuntimeParts.getRankMessage(in));
          case 8 ->
              new FromDaemon.Output(in.getInt(), in.getBoolean(), in.getBytes(), in.getBoolean());
          case 9 -> new FromDaemon.InputTaken(in.getInt(), in.getInt());
          case 10 -> new FromDaemon.RankDying(in.getInt(), in.getInt());
          case 11 -> new FromDaemon.Reports(in.getList(DaemonCodec::getReport));
          case 12 -> new FromDaemon.RankWasDying(in.getInt(), in.getInt());
          case 13 -> new FromDaemon.Stack(in.getInt(), in.getLong(), in.getString());
          case 14 -> new FromDaemon.Level2(Level2Parts.getReport(in));
          case 15 -> new FromDaemon.Terminated();
          case 16 -> new FromDaemon.InputWanted(in.getInt());
          default -> throw in.unknownType();
        });
  }

  private static void putReport(MessageWriter out, FromDaemon.Report report) {
    out.putInt(report.rank()).putInt(report.incarnation()).putLong(report.pid());
    RuntimeParts.putReport(out, report.report());
  }

  private static FromDaemon.Report getReport(MessageReader in) throws BadMessageException {
    return new FromDaemon.Report(
        in.getInt(), in.getInt(), in.getLong(), RuntimeParts.getReport(in));
  }

  private static void putEntry(MessageWriter out, ProgramEntry entry) {
    out.putString(entry.path())
        .putString(entry.kind().name())
        .putLong(entry.bytes())
        .putString(entry.digest());
  }

  private static ProgramEntry getEntry(MessageReader in) throws BadMessageException {
    return new ProgramEntry(
        in.getString(), in.getEnum(ProgramEntry.Kind.class), in.getLong(), in.getString());
  }

  private static void putSetup(MessageWriter out, NodeSetup setup) {
    out.putInt(setup.size())
        .putString(setup.mainClass())
        .putList(setup.args(), MessageWriter::putString)
        .putList(setup.classPath(), DaemonCodec::putEntry)
        .putList(setup.jvmOptions(), MessageWriter::putString)
        .putMap(setup.environment(), MessageWriter::putString)
        .putString(setup.workDirectory())
        .putInt(setup.heartbeatMillis())
        .putInt(setup.groupLosses())
        .putInt(setup.logRingBase())
        .putLong(setup.recordLimitBytes())
        .putLong(setup.sendBufferBytes())
        .putInt(setup.idleMegahertz());
    RuntimeParts.putInterval(out, setup.interval());
    out.putList(setup.transports(), MessageWriter::putString);
    RuntimeParts.putPolicy(out, setup.policy());
    Level2Parts.putSetup(out, setup.level2());
  }

  private static NodeSetup getSetup(MessageReader in) throws BadMessageException {
    return NodeSetup.builder()
        .size(in.getInt())
        .mainClass(in.getString())
        .args(in.getList(MessageReader::getString))
        .classPath(in.getList(DaemonCodec::getEntry))
        .jvmOptions(in.getList(MessageReader::getString))
        .environment(in.getMap(MessageReader::getString))
        .workDirectory(in.getString())
        .heartbeatMillis(in.getInt())
        .groupLosses(in.getInt())
        .logRingBase(in.getInt())
        .recordLimitBytes(in.getLong())
        .sendBufferBytes(in.getLong())
        .idleMegahertz(in.getInt())
        .interval(RuntimeParts.getInterval(in))
        .transports(in.getList(MessageReader::getString))
        .policy(RuntimeParts.getPolicy(in))
        .level2(Level2Parts.getSetup(in))
        .build();
  }
}
