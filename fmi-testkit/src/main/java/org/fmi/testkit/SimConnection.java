package org.fmi.testkit;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection between two transports: two directions, each in order, with a bounded number of
 * frames in flight.
 *
 * <pre>
 *   CONNECTING --accepted--> OPEN --one end shut, or severed--> SHUT
 *        +-------refused or shut-------------------------------->
 * </pre>
 *
 * A cut that outlasts the heartbeat timeout ends the connection, as TCP's user timeout does. Inside
 * a node the death of a process ends nothing: the memory stays.
 */
final class SimConnection implements SimNetwork.Held {
  /** An unanswered request for a connection is repeated after this long. */
  private static final long ASK_AGAIN_NANOS = 20_000_000;

  private enum State {
    CONNECTING,
    OPEN,
    SHUT
  }

  private final SimNetwork network;
  private final Simulation simulation;
  private final SimModel model;
  private final Direction out;
  private final Direction in;
  private State state = State.CONNECTING;
  private boolean asked;

  /** Whether a timer runs until it has asked. */
  private boolean timed;

  /** Creates a connection that {@code from} is to open to {@code to}. */
  SimConnection(SimNetwork network, SimTransport from, SimTransport to) {
    this.network = network;
    this.simulation = from.process().simulation();
    this.model = from.process().model();
    this.out = new Direction(from, to);
    this.in = new Direction(to, from);
  }

  /** Asks the other side; a cut may delay the request. */
  void connect() {
    simulation.after(delay(), "connect", out.from.process().rank(), this::arriveAsking);
  }

  private void arriveAsking() {
    if (state != State.CONNECTING) {
      return;
    }
    SimProcess accepting = out.to.process();
    if (accepting.mute()) {
      simulation.after(ASK_AGAIN_NANOS, "connect", out.from.process().rank(), this::arriveAsking);
      timeOutUnlessAsked();
      return;
    }
    if (network.severed(out.from.process(), accepting)) {
      network.hold(this);
      timeOutUnlessAsked();
      return;
    }
    if (!out.to.open()) {
      state = State.SHUT;
      in.append(null, "connection refused");
      return;
    }
    asked = true;
    accepting.post(delay(), "accept", this::accept);
  }

  private void accept() {
    if (state == State.CONNECTING) {
      state = State.OPEN;
      out.from.signal();
      out.to.signal();
    }
  }

  /** Accepts a frame, or refuses it for now. */
  boolean offer(SimTransport from, byte[] frame) {
    Direction direction = from == out.from ? out : in;
    if (state != State.OPEN || direction.outstanding >= model.capacity()) {
      direction.refused = true;
      return false;
    }
    direction.outstanding++;
    direction.append(frame, "");
    return true;
  }

  /** {@code to} has received a frame of this connection, so there is room for another. */
  void received(SimTransport to) {
    Direction direction = to == out.to ? out : in;
    direction.outstanding--;
    if (direction.refused) {
      direction.refused = false;
      SimTransport sender = direction.from;
      sender.process().post(delay(), "credit", sender::signal);
    }
  }

  /**
   * One end is gone: some of the frames it sent last are lost. The other end learns of it after the
   * remaining frames, unless {@code unheard}.
   */
  void shut(SimTransport end, boolean unheard, String reason) {
    if (state == State.SHUT) {
      return;
    }
    boolean notified = state == State.OPEN || end != out.from || (asked && in.refused);
    state = State.SHUT;
    Direction sent = end == out.from ? out : in;
    Direction lost = end == out.from ? in : out;
    lost.flight.clear();
    sent.loseLast();
    if (!unheard && notified) {
      sent.append(null, reason);
    } else if (unheard && end.kind() == SimTransport.Kind.FAR) {
      SimProcess peer = sent.to.process();
      peer.post(peer.cluster().timeout(peer.config()), "timed out", () -> sent.end("timed out"));
    }
  }

  /**
   * Breaks the connection between two living ends: some of the frames that each sent last are lost,
   * and both learn of it.
   */
  void sever() {
    if (state == State.OPEN) {
      state = State.SHUT;
      for (Direction direction : List.of(out, in)) {
        direction.loseLast();
        direction.append(null, "connection reset");
      }
    }
  }

  private void timeOutUnlessAsked() {
    if (!timed) {
      timed = true;
      timeOutUnless(() -> asked);
    }
  }

  /** Ends the connection if a cut has blocked it for the whole timeout. */
  private void timeOutUnless(BooleanSupplier unblocked) {
    SimProcess waiting = out.from.process();
    simulation.after(
        waiting.cluster().timeout(waiting.config()),
        "connection times out",
        waiting.rank(),
        () -> {
          if (state != State.SHUT && !unblocked.getAsBoolean()) {
            state = State.SHUT;
            for (Direction direction : List.of(out, in)) {
              direction.flight.clear();
              direction.to.process().post(0, "timed out", () -> direction.end("timed out"));
            }
          }
        });
  }

  private long delay() {
    return out.from.delay();
  }

  /** A cut is healed. */
  @Override
  public void resume() {
    if (state == State.CONNECTING && !asked) {
      connect();
    }
    out.resume();
    in.resume();
  }

  private record Packet(byte @Nullable [] frame, String reason) {}

  /** One direction of a connection. */
  private final class Direction {
    final SimTransport from;
    final SimTransport to;
    final Lane lane;
    final ArrayDeque<Packet> flight = new ArrayDeque<>();
    int outstanding;
    boolean refused;
    int late;
    int holds;

    Direction(SimTransport from, SimTransport to) {
      this.from = from;
      this.to = to;
      this.lane = new Lane(simulation);
    }

    void append(byte @Nullable [] frame, String reason) {
      flight.add(new Packet(frame, reason));
      simulation.after(lane.delay(delay()), "arrive", to.process().rank(), this::arrive);
    }

    /** Drops some of the packets that were sent last. */
    void loseLast() {
      if (!flight.isEmpty()) {
        int keep = simulation.random().nextInt(flight.size() + 1);
        while (flight.size() > keep) {
          flight.removeLast();
        }
      }
    }

    /** The oldest packet arrives, unless a closed end dropped it or a cut blocks it. */
    private void arrive() {
      if (late > 0 || network.silence(from.process(), to.process())) {
        late++;
        network.hold(SimConnection.this);
        int hold = holds;
        if (late == 1) {
          timeOutUnless(() -> holds != hold);
        }
        return;
      }
      Packet head = flight.poll();
      if (head != null) {
        to.deliver(SimConnection.this, from.process().rank(), head.frame, head.reason);
      }
    }

    /** Notifies the receiving end that the connection is over. */
    void end(String reason) {
      to.deliver(SimConnection.this, from.process().rank(), null, reason);
    }

    void resume() {
      if (late > 0 && network.silence(from.process(), to.process())) {
        network.hold(SimConnection.this);
        return;
      }
      holds++;
      int again = late;
      late = 0;
      for (int i = 0; i < again; i++) {
        simulation.after(lane.delay(delay()), "arrive", to.process().rank(), this::arrive);
      }
    }
  }
}
