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
 * The program's requests that are part of a loop's state: writes them into a checkpoint, and brings
 * them back from it (Schulz et al., figure 6).
 *
 * <p>A receive that is not complete is written as what it wants and as the place in the state that
 * its message goes to. When the state has been read again, all of them are posted, in the order in
 * which they were, before the program goes on. A message that belongs to the checkpoint is found
 * there among those that no receive has matched: it may have come before this rank's part of the
 * line, with its data behind it, or be late. Each gets the message that it got, or would have got:
 * with receives in the order posted and messages in the order announced there is but one way to
 * match them.
 *
 * <p>A send is written as complete: its message is in the receiver's checkpoint, or late.
 */
public final class KeptRequests {
  private final Messenger messenger;
  private final Requests requests;
  private final Mailbox mailbox;

  // ---- a state that is written
  private List<Object> sections = List.of();
  private final IdentityHashMap<Object, Integer> written = new IdentityHashMap<>();

  // ---- a state that is read
  private final Map<Integer, MessageRequest> read = new HashMap<>();
  private final List<Receive> waiting = new ArrayList<>();

  /** A receive that is to be posted as it was written. */
  private record Receive(MessageRequest request, Waiting as) {}

  /** Those of a messenger. */
  public KeptRequests(Messenger messenger) {
    this.messenger = messenger;
    this.requests = messenger.requests();
    this.mailbox = messenger.mailbox();
  }

  // ---- writing

  /** A state is about to be written that has these objects. */
  public void writes(List<Object> objects) {
    sections = objects;
    written.clear();
  }

  /**
   * What is written in place of a request; the object itself if it is none.
   *
   * @throws IllegalArgumentException if it cannot be part of a state
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
    int number = numberOf(r);
    if (r.isSend() || !r.pending()) {
      return complete(number, r, r.isSend(), r.isKnown());
    }
    StatePlace place = StatePlace.of(sections, r.base(), r.offset(), r.bytes());
    if (place == null) {
      throw new IllegalArgumentException(
          "it refers to "
              + r.describe()
              + ", whose buffer is no state of the loop: make that state too");
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

  private Complete complete(int number, MessageRequest r, boolean send, boolean told) {
    return new Complete(
        number,
        messenger.size(),
        send,
        send ? State.DONE : r.state(),
        told,
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

  /** The program's requests that are not complete, in words. */
  public List<String> underWay() {
    return requests.underWay().stream().map(MessageRequest::describe).toList();
  }

  /** Whether the state written last has any request. */
  public boolean hasWritten() {
    return !written.isEmpty();
  }

  /** Those of them that the state written last does not have. */
  public List<String> notWritten() {
    return requests.underWay().stream()
        .filter(r -> !written.containsKey(r))
        .map(MessageRequest::describe)
        .toList();
  }

  // ---- reading

  /**
   * The request that this was written for; the object itself if it was for none.
   *
   * @throws InvalidObjectException if it is of a job of another number of ranks
   */
  public Object find(Object object) throws InvalidObjectException {
    if (!(object instanceof RequestImage image)) {
      return object;
    }
    if (image.worldSize() != messenger.size()) {
      throw new InvalidObjectException(
          "it refers to a request of a job of %d ranks, and this one has %d"
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
    if (image.told()) {
      r.result();
    }
  }

  /** An empty buffer of elements of this size. */
  private static Object none(int elementBytes) {
    return switch (elementBytes) {
      case Short.BYTES -> new short[0];
      case Integer.BYTES -> new int[0];
      case Long.BYTES -> new long[0];
      default -> new byte[0];
    };
  }

  /** The state has been read that has these objects now: its receives are posted. */
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
    if (as.toBeCancelled() || !isPostedAgain(r, as.posted())) {
      r.withhold();
    } else {
      mailbox.postAgain(r);
    }
  }

  private boolean isPostedAgain(MessageRequest r, long number) {
    return !(messenger.ledger() instanceof MessageLedger ledger)
        || ledger.log().postsAgain(r, number);
  }
}
