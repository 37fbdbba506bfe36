package org.fmi.core.checkpoint;

import java.util.List;
import org.fmi.core.log.StateRequests;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.UnexpectedMessage;
import org.fmi.spi.RankConfig;

/**
 * Checks whether a checkpoint can hold the program's pending requests. It holds those that are part
 * of the loop's state, with the places of their buffers in it. In a {@code flowLoop} no message of
 * an iteration may be pending.
 */
public final class ActiveRequests {
  private static final int MAX_NAMED = 3;

  private final RankConfig config;
  private final Messenger messenger;
  private final StateRequests stateRequests;
  private final Divergence divergence;

  ActiveRequests(
      RankConfig config, Messenger messenger, StateRequests stateRequests, Divergence divergence) {
    this.config = config;
    this.messenger = messenger;
    this.stateRequests = stateRequests;
    this.divergence = divergence;
  }

  /**
   * Requires that no request is pending.
   *
   * @throws IllegalStateException if one is, naming it
   */
  public void requireNone() {
    if (messenger.activeRequests() > 0) {
      throw refusal(
          stateRequests.underWay(),
          "wait for them (waitFor, Request.waitAll) before the end of an iteration and before the"
              + " loop");
    }
  }

  /** Whether requests are pending, or part of the state written last. */
  public boolean any() {
    return messenger.activeRequests() > 0 || stateRequests.hasWritten();
  }

  /**
   * Requires that the state holds the pending requests.
   *
   * @param last whether this is the loop's final checkpoint, after which they could not be repeated
   * @throws IllegalStateException if it does not, naming them
   * @throws IllegalArgumentException if it cannot, saying why
   */
  void requireInState(Loop loop, boolean last) {
    if (messenger.activeRequests() == 0) {
      return;
    }
    if (last) {
      throw refusal(
          stateRequests.underWay(),
          "wait for them (waitFor, Request.waitAll) in the loop's last iteration");
    }
    if (loop.flow != null) {
      requireNone();
    }
    long _ = loop.state().bytes(); // finds the requests in it
    List<String> others = stateRequests.notWritten();
    if (!others.isEmpty()) {
      throw refusal(
          others,
          "wait for them (waitFor, Request.waitAll) before the end of an iteration, or make them"
              + " state of the loop (StateRef.of(new Request[n]))");
    }
  }

  /**
   * Requires, between iterations of a {@code flowLoop} and after all sent messages have arrived,
   * that each message was received in the iteration that sent it. Ranks that recompute iterations
   * would not get a leftover message again, so the job ends rather than hide the error.
   *
   * @throws org.fmi.Rollback if the epoch is over
   */
  void requireReceived(Loop loop, int epoch) {
    if (loop.flow == null) {
      return;
    }
    UnexpectedMessage left =
        messenger
            .mailbox()
            .first(
                m ->
                    Contexts.isProgram(m.context())
                        && MessageTag.iteration(m.tag()) != MessageTag.NO_ITERATION);
    if (left != null) {
      throw divergence.programFault(
          "rank "
              + config.rank()
              + " has not received a message of "
              + left.describe()
              + ", which was sent before iteration "
              + loop.iteration
              + " of a flowLoop: receive it in the iteration that sends it",
          epoch);
    }
  }

  private static IllegalStateException refusal(List<String> requests, String help) {
    int named = Math.min(MAX_NAMED, requests.size());
    boolean anyMessage = requests.stream().anyMatch(r -> r.startsWith(MessageRequest.A_MESSAGE));
    return new IllegalStateException(
        (requests.size() == 1 ? "1 request is" : requests.size() + " requests are")
            + " not complete: a checkpoint cannot hold "
            + (requests.size() == 1 ? "it (" : "them (")
            + String.join("; ", requests.subList(0, named))
            + (named < requests.size() ? "; ..." : "")
            + "); "
            + (anyMessage
                ? "receive each Message (recv, irecv) before the end of an iteration and before the"
                    + " loop"
                : help));
  }
}
