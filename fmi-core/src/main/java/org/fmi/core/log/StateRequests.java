package org.fmi.core.log;

import java.io.InvalidObjectException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.fmi.core.log.RequestImage.Complete;
import org.fmi.core.log.RequestImage.Waiting;
import org.fmi.core.p2p.Mailbox;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.MessageRequest.State;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.Requests;
import org.fmi.core.p2p.SentRequest;

/**
 * The program's requests that are part of a loop's state: writes them to a checkpoint, and restores
 * them from it (Schulz et al., figure 6).
 *
 * <p>A pending receive is written as its pattern and the place in the state that its message goes
 * to. After the state has been read, all receives are posted in their original order before the
 * program continues. A receive's message is then among the unexpected messages if it belongs to the
 * checkpoint: it had been announced before this rank's part of the recovery line and its data
 * followed, or it is late. Each receive matches the message that it had matched or would have
 * matched: with receives in posting order and messages in announcement order there is only one way
 * to match them.
 *
 * <p>A send is written as complete: its message is in the receiver's checkpoint, or late.
 */
public final class StateRequests {
  private final Messenger messenger;
  private final Requests requests;
  private final Mailbox mailbox;

  // ---- a state that is written
  private List<Object> sections = List.of();
  private final IdentityHashMap<Object, Integer> written = new IdentityHashMap<>();

  // ---- a state that is read
  private final Map<Integer, MessageRequest> read = new HashMap<>();
  private final List<Receive> waiting = new ArrayList<>();

  /** A receive to be posted as it was written. */
  private record Receive(MessageRequest request, Waiting as) {}

  /** The requests of a messenger. */
  public StateRequests(Messenger messenger) {
    this.messenger = messenger;
    this.requests = messenger.requests();
    this.mailbox = messenger.mailbox();
  }

  // ---- writing

  /** Begins writing a state that consists of these objects. */
  public void writes(List<Object> objects) {
    sections = objects;
    written.clear();
  }

  /**
   * The object to write in place of a request; other objects are returned as they are.
   *
   * @throws IllegalArgumentException if the request cannot be part of a state
   */
  public Object of(Object object) {
    return switch (object) {
      case MessageRequest r -> image(r);
      case SentRequest s -> {
        requireValid(s.since());
        yield complete(numberOf(s), requests.make(), true, true);
      }
      case RecordedRequest _ ->
          throw new IllegalArgumentException(
              "it refers to a request that was begun outside of the loop: begin it in an"
                  + " iteration");
      default -> object;
    };
  }

  private RequestImage image(MessageRequest r) {
    requireValid(r.since());
    if (r.allocates()) {
      throw new IllegalArgumentException(
          "it refers to "
              + r.describe()
              + ", which makes its array itself: wait for it before the end of an iteration");
    }
    int number = numberOf(r);
    if (r.isSend() || !r.pending()) {
      return complete(number, r, r.isSend(), r.isKnown());
    }
    StatePlace place = StatePlace.of(sections, r.base(), r.offset(), r.bytes());
    if (place == null) {
      throw new IllegalArgumentException(
          "it refers to "
              + r.describe()
              + ", whose buffer is not state of the loop: register the buffer too");
    }
    return new Waiting(
        number,
        messenger.size(),
        r.context(),
        r.hasMatched() ? r.matchedSource() : r.peer(),
        r.wantedTag(),
        r.bytes(),
        place,
        r.posting(),
        messenger.ledger() instanceof MessageLedger ledger ? ledger.log().number(r) : 0,
        r.isWithheld());
  }

  private Complete complete(int number, MessageRequest r, boolean send, boolean seenComplete) {
    return new Complete(
        number,
        messenger.size(),
        send,
        send ? State.DONE : r.state(),
        seenComplete,
        r.matchedSource(),
        r.matchedTag(),
        r.matchedLength(),
        r.bytes(),
        r.tag());
  }

  private int numberOf(Object request) {
    return written.computeIfAbsent(request, _ -> written.size());
  }

  private void requireValid(int since) {
    if (since != messenger.since()) {
      throw new IllegalArgumentException(
          "it refers to " + MessageRequest.refusal(since, messenger.since()).getMessage());
    }
  }

  /** Descriptions of the program's pending requests. */
  public List<String> underWay() {
    return requests.pending().stream().map(MessageRequest::describe).toList();
  }

  /** Whether the state written last has any request. */
  public boolean hasWritten() {
    return !written.isEmpty();
  }

  /** Descriptions of the pending requests that the state written last does not have. */
  public List<String> notWritten() {
    return requests.pending().stream()
        .filter(r -> !written.containsKey(r))
        .map(MessageRequest::describe)
        .toList();
  }

  // ---- reading

  /**
   * The request that an image was written for; other objects are returned as they are.
   *
   * @throws InvalidObjectException if the image is from a job with a different number of ranks
   */
  public Object find(Object object) throws InvalidObjectException {
    if (!(object instanceof RequestImage image)) {
      return object;
    }
    if (image.worldSize() != messenger.size()) {
      throw new InvalidObjectException(
          "it refers to a request of a job with another number of ranks (%d instead of %d)"
              .formatted(image.worldSize(), messenger.size()));
    }
    MessageRequest known = read.get(image.number());
    if (known != null) {
      return known;
    }
    MessageRequest r = requests.make();
    switch (image) {
      case Waiting w -> waiting.add(new Receive(r, w));
      case Complete c -> complete(r, c);
    }
    read.put(image.number(), r);
    return r;
  }

  private static void complete(MessageRequest r, Complete image) {
    r.restore(
        image.send(),
        image.state(),
        none(MessageTag.elementBytes(image.wantedTag())),
        image.bytes(),
        image.wantedTag(),
        image.source(),
        image.tag(),
        image.length());
    if (image.seenComplete()) {
      r.result();
    }
  }

  /** An empty buffer with elements of this size. */
  private static Object none(int elementBytes) {
    return switch (elementBytes) {
      case Short.BYTES -> new short[0];
      case Integer.BYTES -> new int[0];
      case Long.BYTES -> new long[0];
      default -> new byte[0];
    };
  }

  /** Posts the receives of a state that has been read and now consists of these objects. */
  public void haveRead(List<Object> objects) {
    waiting.sort(Comparator.comparingLong(each -> each.as.posting()));
    for (Receive each : waiting) {
      post(each.request, each.as, objects);
    }
    read.clear();
    waiting.clear();
  }

  private void post(MessageRequest r, Waiting as, List<Object> objects) {
    StatePlace place = as.place();
    r.prepareReceive(
        place.base(objects),
        place.offsetIn(objects),
        as.bytes(),
        as.source(),
        as.context(),
        as.tag());
    requests.count(r);
    if (as.toBeCancelled() || !isReposted(r, as.posted())) {
      r.withhold();
    } else {
      mailbox.postAgain(r);
    }
  }

  private boolean isReposted(MessageRequest r, long number) {
    return !(messenger.ledger() instanceof MessageLedger ledger) || ledger.log().repost(r, number);
  }
}
