package org.fmi.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Agreement;

/**
 * The view that all ranks of a job share which continues without its dead: one order of deaths, and
 * the agreements and revocations of communicators. All ranks receive the same notices, in the same
 * order, so {@code agree} and {@code shrink} have one outcome even if ranks die meanwhile.
 *
 * <p>An agreement is open until each member has asked or is dead. A death lowers the number of
 * members that are waited for, and is among the deaths that the outcome leaves out. Members that
 * have asked before they died count.
 */
final class Membership {
  /**
   * A message for some ranks.
   *
   * @param to living ranks
   */
  record Answer(JobMessage message, BitSet to) {}

  /** Communicators of one id have no member in common, so the members are part of their name. */
  private record Communicator(int id, BitSet members) {}

  private record Call(Communicator communicator, int number) {}

  /** An agreement that not all living members have asked for. */
  private static final class Open {
    private final Agreement kind;
    private final int first;
    private final BitSet asked = new BitSet();
    private long flags = -1;
    private int id;

    Open(Agreement kind, int first) {
      this.kind = kind;
      this.first = first;
    }
  }

  private final BitSet dead = new BitSet();
  private final Map<Call, Open> open = new LinkedHashMap<>();
  private final Set<Communicator> revoked = new HashSet<>();

  /** Returns the number of deaths, which is the place of the last one in their order. */
  long deaths() {
    return dead.cardinality();
  }

  boolean isDead(int rank) {
    return dead.get(rank);
  }

  /**
   * Notes the next death.
   *
   * @return the agreements that waited only for this rank
   */
  List<Answer> died(int rank) {
    assert !dead.get(rank) : "rank " + rank + " dies twice";
    dead.set(rank);
    List<Answer> answers = new ArrayList<>();
    for (Iterator<Map.Entry<Call, Open>> all = open.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Call, Open> each = all.next();
      if (isComplete(each.getKey(), each.getValue())) {
        all.remove();
        add(answers, each.getKey(), each.getValue());
      }
    }
    return answers;
  }

  /**
   * Takes a request of a living member.
   *
   * @return the agreement, once it is complete
   * @throws Disagreement if another member asks for something else
   */
  List<Answer> asks(int rank, RankMessage.Agrees m) throws Disagreement {
    assert !dead.get(rank);
    Call call = new Call(new Communicator(m.communicator(), BitSet.valueOf(m.members())), m.call());
    Open agreement = open.computeIfAbsent(call, c -> new Open(m.kind(), rank));
    if (agreement.kind != m.kind()) {
      throw new Disagreement(
          "rank %d calls %s while rank %d calls %s on the same communicator: its members must make the same calls in the same order"
              .formatted(rank, name(m.kind()), agreement.first, name(agreement.kind)));
    }
    agreement.asked.set(rank);
    agreement.flags &= m.flags();
    agreement.id = Math.max(agreement.id, m.nextId());
    List<Answer> answers = new ArrayList<>();
    if (isComplete(call, agreement)) {
      open.remove(call);
      add(answers, call, agreement);
    }
    return answers;
  }

  /** Takes a revocation; only the first one of a communicator is passed on. */
  List<Answer> revokes(RankMessage.Revokes m) {
    Communicator communicator = new Communicator(m.communicator(), BitSet.valueOf(m.members()));
    return revoked.add(communicator)
        ? List.of(
            new Answer(new JobMessage.Revoked(m.communicator()), living(communicator.members)))
        : List.of();
  }

  private boolean isComplete(Call call, Open agreement) {
    BitSet missing = living(call.communicator.members);
    missing.andNot(agreement.asked);
    return missing.isEmpty();
  }

  private void add(List<Answer> answers, Call call, Open agreement) {
    BitSet to = living(call.communicator.members);
    if (!to.isEmpty()) {
      answers.add(
          new Answer(
              new JobMessage.Agreed(
                  call.communicator.id, call.number, agreement.flags, deaths(), agreement.id),
              to));
    }
  }

  private BitSet living(BitSet members) {
    BitSet living = (BitSet) members.clone();
    living.andNot(dead);
    return living;
  }

  private static String name(Agreement kind) {
    return switch (kind) {
      case AGREE -> "agree";
      case SHRINK -> "shrink";
    };
  }

  /** Two members of a communicator make different calls, and would do so again. */
  static final class Disagreement extends Exception {
    private static final long serialVersionUID = 1;

    Disagreement(String message) {
      super(message);
    }
  }
}
