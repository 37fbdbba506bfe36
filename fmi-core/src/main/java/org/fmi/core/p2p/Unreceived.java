package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The program's messages that no receive has matched, for checkpoints, which hold them too. */
public final class Unreceived {
  private final Epoch epoch;
  private final Requests requests;
  private final Peers peers;
  private final Mailbox mailbox;
  private final Waits waits;
  private final LineMessages lines;

  Unreceived(
      Epoch epoch,
      Peers peers,
      Mailbox mailbox,
      Requests requests,
      Waits waits,
      LineMessages lines) {
    this.peers = peers;
    this.lines = lines;
    this.epoch = epoch;
    this.requests = requests;
    this.mailbox = mailbox;
    this.waits = waits;
  }

  /**
   * Whether those that are announced are fetched as they come, until this is called anew. Without
   * it their senders wait, and could not come to where all ranks meet.
   */
  public void pull(boolean announced) {
    mailbox.pull(announced);
  }

  /**
   * Fetches all that are announced, and makes progress until they are here. What peers hold back
   * will be announced.
   */
  public void fetch() {
    epoch.check();
    waits.askToAnnounce();
    while (!mailbox.fetchAll()) {
      waits.progress(null);
    }
  }

  /**
   * Makes progress until the program's requests are complete, but for receives that have no message
   * yet; all ranks do, after {@link #fetch}.
   */
  public void settle() {
    while (!requests.areAtRest()) {
      waits.progress(null);
    }
  }

  /** Size of what {@link #write} writes, in bytes. */
  public long bytes() {
    return mailbox.imageBytes();
  }

  /**
   * Saves them; they stay here too.
   *
   * @throws IllegalStateException if one is not here; {@link #fetch} comes first
   */
  public void write(MemorySegment image) {
    mailbox.write(image);
  }

  /**
   * Puts saved ones before all that have arrived meanwhile. No receive is posted by now.
   *
   * @param crossing those that cross the checkpoint's line; null if none can
   */
  public void read(MemorySegment image, @Nullable LineImage crossing) {
    mailbox.read(image, crossing);
  }

  /** The first that was sent in a {@code flowLoop}, as a part of a sentence; null for none. */
  public @Nullable String ofLoop() {
    return first(tag -> MessageTag.iteration(tag) != MessageTag.NO_ITERATION);
  }

  /** The first whose tag is wanted, as a part of a sentence; null for none. */
  public @Nullable String first(LongPredicate wanted) {
    for (UnexpectedMessage m = oldest(); m != null; m = m.next) {
      if (Contexts.isProgram(m.context) && wanted.test(m.tag)) {
        return "rank " + m.source + " " + CollectiveCall.belonging(m.context, m.tag);
      }
    }
    return null;
  }

  /** How many of the program's own messages there are. */
  public int countOfProgram() {
    int count = 0;
    for (UnexpectedMessage m = oldest(); m != null; m = m.next) {
      count += Contexts.isProgram(m.context) ? 1 : 0;
    }
    return count;
  }

  private @Nullable UnexpectedMessage oldest() {
    return mailbox.unexpected().oldest();
  }

  /** The messages that cross lines of checkpoints. */
  public LineMessages lines() {
    return lines;
  }

  /**
   * This rank comes to a line, which others come to at another time. Messages belong to it that are
   * here and no receive has matched; and before them those that receives have matched whose data is
   * still under way.
   */
  public void line(long number) {
    lines.begin(number);
    for (MessageRequest r : requests.underWay()) {
      if (!r.send && r.hasMatched()) {
        LineMessages.Early early = r.crossing instanceof LineMessages.Early e ? e : null;
        r.crossing = lines.keep(r.context, r.matchedSource, r.matchedTag, r.matchedLength, early);
      }
    }
    mailbox.line(lines);
  }

  /** The line is committed: the log begins there. */
  public void committed(MessageLog log) {
    mailbox.renumber(log);
    peers.renumber(log);
    log.cut();
  }

  /** Throws them away. */
  public void discard() {
    mailbox.discard();
  }

  /** For tests: memory that they take. */
  long heldBytes() {
    return mailbox.unexpected().heldBytes();
  }

  /** For tests: how many there are, those of the runtime included. */
  int count() {
    return mailbox.unexpected().count();
  }
}
