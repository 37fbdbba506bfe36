package org.fmi.testkit;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection between two transports: two directions, each in order, with a bounded number of
 * frames under way.
 *
 * <pre>
 *   CONNECTING --accepted--> OPEN --one end shut, or severed--> SHUT
 *        +-------refused or shut-------------------------------->
 * </pre>
 */
final class SimConnection {
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

  /** {@code from} wants to talk to {@code to}. */
  SimConnection(SimNetwork network, SimTransport from, SimTransport to) {
    this.network = network;
    this.simulation = from.process().simulation();
    this.model = from.process().model();
    this.out = new Direction(from, to);
    this.in = new Direction(to, from);
  }

  /** Asks the other side; may be held up by a cut. */
  void connect() {
    simulation.after(network.delay(), "connect", out.from.process().rank(), this::arriveAsking);
  }

  private void arriveAsking() {
    if (state != State.CONNECTING) {
      return;
    }
    SimProcess accepting = out.to.process();
    if (accepting.silentlyDead()) {
      return;
    }
    if (network.silence(out.from.process(), accepting)) {
      network.hold(this);
      return;
    }
    if (!out.to.open()) {
      state = State.SHUT;
      in.append(null, "connection refused");
      return;
    }
    asked = true;
    accepting.post(network.delay(), "accept", this::accept);
  }

  private void accept() {
    if (state == State.CONNECTING) {
      state = State.OPEN;
      out.from.signal();
      out.to.signal();
    }
  }

  /** Takes a frame, or refuses it for now. */
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

  /** A frame of this connection was received by {@code to}: there is room for another. */
  void received(SimTransport to) {
    Direction direction = to == out.to ? out : in;
    direction.outstanding--;
    if (direction.refused) {
      direction.refused = false;
      SimTransport sender = direction.from;
      sender.process().post(network.delay(), "credit", sender::signal);
    }
  }

  /**
   * One end is gone: some of what it sent last is lost; the other end hears of it after the rest,
   * unless it is {@code unheard}.
   */
  void shut(SimTransport end, boolean unheard, String reason) {
    if (state == State.SHUT) {
      return;
    }
    boolean told = state == State.OPEN || end != out.from || (asked && in.refused);
    state = State.SHUT;
    Direction sent = end == out.from ? out : in;
    Direction lost = end == out.from ? in : out;
    lost.flight.clear();
    sent.loseLast();
    if (!unheard && told) {
      sent.append(null, reason);
    }
  }

  /** It breaks, though both ends live: what each sent last is lost, and both hear of it. */
  void sever() {
    if (state == State.OPEN) {
      state = State.SHUT;
      for (Direction direction : List.of(out, in)) {
        direction.loseLast();
        direction.append(null, "connection reset");
      }
    }
  }

  /** A cut is healed. */
  void goOn() {
    if (state == State.CONNECTING && !asked) {
      connect();
    }
    out.goOn();
    in.goOn();
  }

  private record Packet(byte @Nullable [] frame, String reason) {}

  /** One way of a connection. */
  private final class Direction {
    final SimTransport from;
    final SimTransport to;
    final Lane lane;
    final ArrayDeque<Packet> flight = new ArrayDeque<>();
    int outstanding;
    boolean refused;
    int late;

    Direction(SimTransport from, SimTransport to) {
      this.from = from;
      this.to = to;
      this.lane = new Lane(simulation);
    }

    void append(byte @Nullable [] frame, String reason) {
      flight.add(new Packet(frame, reason));
      simulation.after(lane.delay(network.delay()), "arrive", to.process().rank(), this::arrive);
    }

    /** Some of what was sent last never arrives. */
    void loseLast() {
      if (!flight.isEmpty()) {
        int keep = simulation.random().nextInt(flight.size() + 1);
        while (flight.size() > keep) {
          flight.removeLast();
        }
      }
    }

    /** The head has arrived, unless a shut end took it back or a cut holds it up. */
    private void arrive() {
      if (late > 0 || network.silence(from.process(), to.process())) {
        late++;
        network.hold(SimConnection.this);
        return;
      }
      Packet head = flight.poll();
      if (head != null) {
        to.deliver(SimConnection.this, from.process().rank(), head.frame, head.reason);
      }
    }

    void goOn() {
      int again = late;
      late = 0;
      for (int i = 0; i < again; i++) {
        simulation.after(lane.delay(network.delay()), "arrive", to.process().rank(), this::arrive);
      }
    }
  }
}
