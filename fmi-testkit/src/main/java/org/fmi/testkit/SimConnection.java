package org.fmi.testkit;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection between two transports: two directions, each in order, with a bounded number of
 * frames under way.
 *
 * <pre>
 *   CONNECTING --accepted--> OPEN --one end shut, or severed--> SHUT
 *        +-------refused or shut-------------------------------->
 * </pre>
 *
 * What a cut holds up for longer than the heartbeat's timeout ends the connection, as TCP's user
 * timeout does. Inside a node the death of a process ends nothing: the memory stays.
 */
final class SimConnection implements SimNetwork.Held {
  /** Whoever gets no answer asks again after this long. */
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
  private boolean timed;

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
    simulation.after(delay(), "connect", out.from.process().rank(), this::arriveAsking);
  }

  private void arriveAsking() {
    if (state != State.CONNECTING) {
      return;
    }
    SimProcess accepting = out.to.process();
    if (accepting.mute()) {
      simulation.after(ASK_AGAIN_NANOS, "connect", out.from.process().rank(), this::arriveAsking);
      timeOutUnless(() -> asked);
      return;
    }
    if (network.severed(out.from.process(), accepting)) {
      network.hold(this);
      timeOutUnless(() -> asked);
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
      sender.process().post(delay(), "credit", sender::signal);
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
    } else if (unheard && end.kind() == SimTransport.Kind.FAR) {
      SimProcess peer = sent.to.process();
      peer.post(peer.cluster().timeout(peer.config()), "timed out", () -> sent.end("timed out"));
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

  /** Ends it if, after the timeout, a cut has held it up all the time. */
  private void timeOutUnless(BooleanSupplier goesOn) {
    if (timed) {
      return;
    }
    timed = true;
    SimProcess waiting = out.from.process();
    simulation.after(
        waiting.cluster().timeout(waiting.config()),
        "connection times out",
        waiting.rank(),
        () -> {
          timed = false;
          if (state != State.SHUT && !goesOn.getAsBoolean()) {
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
  public void goOn() {
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
        int hold = holds;
        timeOutUnless(() -> late == 0 || holds != hold);
        return;
      }
      Packet head = flight.poll();
      if (head != null) {
        to.deliver(SimConnection.this, from.process().rank(), head.frame, head.reason);
      }
    }

    /** The end that receives hears that it is over. */
    void end(String reason) {
      to.deliver(SimConnection.this, from.process().rank(), null, reason);
    }

    void goOn() {
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
