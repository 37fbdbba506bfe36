package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.fmi.testkit.support.SparseMemory;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * RDMA devices joined by a network, in which everything arrives at a random time: data from one end
 * of a connection to the other in order, but not in order with the connection manager's messages.
 *
 * <pre>
 *   dialler                         listener
 *   RESOLVING
 *   ASKED ---------request------->  ASKING         accept
 *   ANSWERED &lt;------answer--------  HAS_ANSWERED            (looked at: STANDS)
 *   STANDS ------ready----------->  STANDS                  or data, which may be faster
 *   any ----------refusal, end----> ENDED          by reject, disconnect and close; both ways
 * </pre>
 *
 * An end that has dialled or answered does not wait forever. After a dial it gives up silently.
 * After an answer it is {@code UNHEARD}: only its messages to the manager are over, data still
 * flows.
 *
 * <p>Read data leaves the other side's memory at one time, and arrives at another, when later
 * messages may have arrived there already. The memory must be registered there.
 */
final class SimulatedFabric {
  private final SplittableRandom random;
  private final List<Device> devices = new ArrayList<>();
  private final Map<InetSocketAddress, Device> listeners = new HashMap<>();

  /** By address: each device has a machine of its own. */
  private final Map<InetAddress, Device> machines = new HashMap<>();

  /** The requests to ports where nobody listens, which a machine refuses by itself. */
  private int knocks;

  /** The traffic in flight. */
  private final List<Lane> lanes = new ArrayList<>();

  /** The number of lanes with traffic in flight. */
  private int full;

  /** The memory locked by each queue pair. */
  static final long PAIR_BYTES = 24 << 10;

  private int named;

  SimulatedFabric(long seed) {
    random = new SplittableRandom(seed);
  }

  Device device() {
    Device device = new Device();
    devices.add(device);
    machines.put(device.address.getAddress(), device);
    return device;
  }

  /** The number of requests to ports where nobody listens. */
  int knocks() {
    return knocks;
  }

  /** Delivers something. Returns whether anything was in flight. */
  boolean step() {
    if (full == 0) {
      return false;
    }
    int which = random.nextInt(full);
    for (int i = 0; ; i++) {
      Lane lane = lanes.get(i);
      if (!lane.way.isEmpty() && which-- == 0) {
        lane.arrive();
        return true;
      }
    }
  }

  /** Ends the wait of some end for an answer of a process. */
  void timeOut() {
    List<End> waiting =
        devices.stream()
            .flatMap(d -> d.ends.stream())
            .filter(end -> end.waits() && !end.knocks)
            .toList();
    if (!waiting.isEmpty()) {
      waiting.get(random.nextInt(waiting.size())).givesUp();
    }
  }

  /** Keeps its traffic in order. */
  private final class Lane {
    private final ArrayDeque<Runnable> way = new ArrayDeque<>();

    Lane() {
      lanes.add(this);
    }

    void add(Runnable arrival) {
      full += way.isEmpty() ? 1 : 0;
      way.add(arrival);
    }

    void arrive() {
      Runnable arrival = way.remove();
      full -= way.isEmpty() ? 1 : 0;
      arrival.run();
    }
  }

  private record Completion(long id, boolean succeeded, int connection, int bytes, int immediate) {}

  private record Buffer(long id, long address, int bytes) {}

  private record Known(long address, long bytes, int access) {
    boolean allows(int wanted, long from, long length) {
      return (access & wanted) != 0 && address <= from && from + length <= address + bytes;
    }
  }

  private static InetAddress machine(int number) {
    try {
      return InetAddress.getByAddress(
          new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** See {@link Verbs}. */
  final class Device implements Verbs {
    private final List<End> ends = new ArrayList<>();
    private final Lane self = new Lane();
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private final ArrayDeque<Buffer> buffers = new ArrayDeque<>();
    private final ArrayDeque<Completion> queue = new ArrayDeque<>();
    private final List<Completion> fetched = new ArrayList<>();
    private final InetSocketAddress address = new InetSocketAddress(machine(++named), 4791);
    private final Map<Integer, Known> registered = new HashMap<>();
    private boolean silent;
    private int stumbles;
    private boolean hurried;
    private @Nullable String failure;
    private boolean removed;

    /** The number of posts before a refusal; negative for no refusal. */
    private int postsUntilRefusal = -1;

    /** The scopes of all memory that was to be registered. */
    private final List<MemorySegment.Scope> scopes = new ArrayList<>();

    private long locked;
    private long lockable = Long.MAX_VALUE;

    /** Small, so that reads arrive in pieces. */
    private int longestMessage = 20 << 10;

    private int edge = Integer.MAX_VALUE;

    private int inline = 256;

    private Limits limits = new Limits(1 << 10, 1 << 10, 1 << 16);

    /** Called before a transport uses the device. */
    void setLimits(Limits most) {
      limits = most;
    }

    /** Called before a transport uses the device. */
    void setLongestMessage(int bytes) {
      longestMessage = bytes;
    }

    /**
     * Copies only this many bytes at either end of each piece that is read: for messages whose copy
     * would take too long. Called before a transport uses the device.
     */
    void setEdge(int bytes) {
      edge = bytes;
    }

    /**
     * The number of bytes that a work request can carry inline. Called before a transport uses the
     * device.
     */
    void setInline(int bytes) {
      inline = bytes;
    }

    /** Its process is killed: its kernel ends its connections. */
    void kill() {
      listeners.remove(address);
      ends.forEach(End::flush);
      List.copyOf(ends).forEach(End::close);
    }

    /** Its machine is switched off. */
    void switchOff() {
      silent = true;
      for (End end : ends) {
        if (end.other != null) {
          end.other.waitsInVain();
        }
      }
    }

    /** Its port goes down, which it reports. */
    void fail(String reason) {
      switchOff();
      failure = reason;
    }

    /** It is removed from its machine, and fails each call. */
    void remove(String reason) {
      fail(reason);
      removed = true;
      limit(-1);
    }

    /** From now on something arrives with each poll: this side is about to end. */
    void hurry() {
      hurried = true;
      if (silent) {
        ends.forEach(End::flush);
      }
    }

    /** It refuses this many connections. */
    void stumble(int times) {
      stumbles = times;
    }

    /** It refuses one buffer after this many more posts. */
    void refuseBuffer(int after) {
      postsUntilRefusal = after;
    }

    /** The number of bytes that its process may still lock. */
    void limit(long bytes) {
      lockable = locked + bytes;
    }

    private void lock(long bytes) throws IOException {
      if (locked + bytes > lockable) {
        throw new IOException("simulated: cannot lock " + bytes + " bytes more");
      }
      locked += bytes;
    }

    /** The number of registrations. */
    int registrations() {
      return registered.size();
    }

    private boolean allows(int key, int access, long from, long length) {
      Known known = registered.get(key);
      return known != null && known.allows(access, from, length);
    }

    /** The number of memory pieces to be registered that are still allocated. */
    long alive() {
      return scopes.stream().filter(MemorySegment.Scope::isAlive).count();
    }

    /** Buffers posted. */
    int posted() {
      return buffers.size();
    }

    @Override
    public String device() {
      return "simulated";
    }

    @Override
    public Limits limits() {
      return limits;
    }

    @Override
    public void open(Sizes sizes) {
      listeners.put(address, this);
    }

    @Override
    public InetSocketAddress address() {
      return address;
    }

    @Override
    public int inline() {
      return inline;
    }

    @Override
    public int longestMessage() {
      return longestMessage;
    }

    @Override
    public Region register(MemorySegment memory, int access) throws IOException {
      scopes.add(memory.scope());
      lock(memory.byteSize());
      int key = ++named;
      registered.put(key, new Known(memory.address(), memory.byteSize(), access));
      return new Region() {
        @Override
        public int key() {
          return key;
        }

        @Override
        public int remoteKey() {
          return key;
        }

        @Override
        public void close() {
          registered.remove(key);
          locked -= memory.byteSize();
        }
      };
    }

    @Override
    public void postReceive(long id, long at, int bytes, int key) throws IOException {
      if (postsUntilRefusal >= 0 && postsUntilRefusal-- == 0) {
        throw new IOException("simulated: cannot post");
      }
      if (buffers.size() == limits.receives()) {
        throw new AssertionError("more buffers than the device has room for");
      }
      buffers.add(new Buffer(id, at, bytes));
    }

    @Override
    public int poll() {
      fetched.clear();
      if (hurried) {
        step();
      }
      for (int i = random.nextInt(5); i > 0 && !queue.isEmpty(); i--) {
        fetched.add(queue.remove());
      }
      return fetched.size();
    }

    @Override
    public long id(int i) {
      return fetched.get(i).id;
    }

    @Override
    public boolean succeeded(int i) {
      return fetched.get(i).succeeded;
    }

    @Override
    public String failure(int i) {
      return "failed";
    }

    @Override
    public int connection(int i) {
      return fetched.get(i).connection;
    }

    @Override
    public int bytes(int i) {
      return fetched.get(i).bytes;
    }

    @Override
    public int immediate(int i) {
      return fetched.get(i).immediate;
    }

    @Override
    public void requestNotification() throws IOException {
      if (removed) {
        throw new IOException("simulated: no device");
      }
    }

    @Override
    public void takeNotifications() {}

    @Override
    public RdmaConnection dial(InetSocketAddress to, byte[] greeting) {
      End end = new End(this, State.RESOLVING);
      end.knocks = to.getPort() == Knocks.NOBODY;
      knocks += end.knocks ? 1 : 0;
      self.add(() -> end.ask(to, greeting));
      return end;
    }

    @Override
    public @Nullable Event nextEvent() {
      Event event = events.poll();
      if (event != null && event.kind() == Event.Kind.ESTABLISHED) {
        ((End) event.connection()).stands();
      }
      return event;
    }

    @Override
    public @Nullable String deviceFailure() {
      String told = failure;
      failure = removed ? told : null;
      return told;
    }

    @Override
    public int completionDescriptor() {
      return -1;
    }

    @Override
    public int eventDescriptor() {
      return -1;
    }

    @Override
    public int failureDescriptor() {
      return -1;
    }

    @Override
    public void close() {
      kill();
    }
  }

  private enum State {
    RESOLVING,
    ASKED,
    ASKING,
    HAS_ANSWERED,
    ANSWERED,
    STANDS,
    UNHEARD,
    ENDED
  }

  /** A posted request, outstanding until it and all earlier ones are complete. */
  private static final class Work {
    final long id;
    final boolean signalled;
    boolean done;

    Work(long id, boolean signalled) {
      this.id = id;
      this.signalled = signalled;
    }
  }

  /** One side of a connection. */
  private final class End implements RdmaConnection {
    private final Device device;
    private final Lane words = new Lane();
    private final Lane data = new Lane();
    private final Lane answers = new Lane();
    private final ArrayDeque<Work> outstanding = new ArrayDeque<>();
    private final int number = ++named;
    private State state;
    private @Nullable End other;
    private boolean closed;
    private boolean gaveUp;
    private boolean hasPair;
    private boolean halted;
    private boolean knocks;

    End(Device device, State state) {
      this.device = device;
      this.state = state;
      device.ends.add(this);
    }

    private void tell(Verbs.Event.Kind kind, byte[] greeting) {
      if (!closed) {
        device.events.add(new Verbs.Event(kind, this, greeting, "simulated"));
      }
    }

    /** Sends a message to the other end, or reports in the end that there is no answer. */
    private void say(End to, Runnable arrival) {
      words.add(
          () -> {
            if (device.silent) {
              to.waitsInVain();
            } else if (to.device.silent) {
              givesUp();
            } else if (!to.closed) {
              arrival.run();
            }
          });
    }

    private boolean waits() {
      return !closed
          && (state == State.RESOLVING || state == State.ASKED || state == State.HAS_ANSWERED);
    }

    /** Gives up if it waits for an answer. */
    private void givesUp() {
      if (waits() && state == State.RESOLVING) {
        state = State.ENDED;
        tell(Verbs.Event.Kind.UNRESOLVED, new byte[0]);
      } else if (waits()) {
        gaveUp = state == State.ASKED;
        state = gaveUp ? State.ENDED : State.UNHEARD;
        tell(Verbs.Event.Kind.UNANSWERED, new byte[0]);
      }
    }

    /** The message that it waits for will not arrive: it gives up after some time. */
    private void waitsInVain() {
      if (waits()) {
        words.add(this::givesUp);
      }
    }

    private void ask(InetSocketAddress to, byte[] greeting) {
      if (closed || device.silent || state == State.ENDED) {
        return;
      }
      try {
        makePair();
      } catch (IOException e) {
        state = State.ENDED;
        device.events.add(
            new Verbs.Event(
                Verbs.Event.Kind.REFUSED_HERE, this, new byte[0], String.valueOf(e.getMessage())));
        return;
      }
      state = State.ASKED;
      words.add(
          () -> {
            Device there = listeners.get(to);
            if (device.silent || gaveUp) {
              return; // it waits longer than any packet travels: this one was lost
            }
            Device machine = machines.get(to.getAddress());
            if (machine != null && machine.silent) {
              givesUp();
            } else if (there == null) {
              refused(new byte[0]);
            } else {
              End end = new End(there, State.ASKING);
              end.other = this;
              other = end;
              end.tell(Verbs.Event.Kind.REQUEST, greeting);
              if (closed) {
                // The end of its process has already reported the refusal.
                end.refused(new byte[0]);
              }
            }
          });
    }

    private void makePair() throws IOException {
      device.lock(PAIR_BYTES);
      hasPair = true;
    }

    /**
     * Ends the connection, even if it is up: a peer that disappears between its answer and the
     * notice that the connection is up, refuses.
     */
    private void refused(byte[] greeting) {
      if (!closed && state != State.ENDED && state != State.UNHEARD) {
        state = State.ENDED;
        tell(Verbs.Event.Kind.REJECTED, greeting);
        flush();
      }
    }

    private void ended() {
      if (!closed && state != State.ENDED && state != State.UNHEARD) {
        state = State.ENDED;
        tell(Verbs.Event.Kind.DISCONNECTED, new byte[0]);
        flush();
      }
    }

    private void stands() {
      End o = other;
      if (state == State.ANSWERED && o != null) {
        state = State.STANDS;
        say(
            o,
            () -> {
              if (o.state == State.HAS_ANSWERED) {
                o.state = State.STANDS;
                o.tell(Verbs.Event.Kind.ESTABLISHED, new byte[0]);
              }
            });
      }
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public boolean asked() {
      return state == State.ASKED;
    }

    @Override
    public boolean accept(byte[] greeting) throws IOException {
      makePair();
      End o = other;
      if (state != State.ASKING || o == null || device.stumbles-- > 0) {
        return false;
      }
      state = State.HAS_ANSWERED;
      say(
          o,
          () -> {
            if (o.state == State.ASKED) {
              o.state = State.ANSWERED;
              o.tell(Verbs.Event.Kind.ESTABLISHED, greeting);
            }
          });
      return true;
    }

    @Override
    public void reject(byte[] greeting) {
      End o = other;
      if (state == State.ASKING && o != null) {
        state = State.ENDED;
        say(o, () -> o.refused(greeting));
      }
    }

    @Override
    public void send(long id, long address, int bytes, int key, int immediate, int flags)
        throws IOException {
      if ((flags & INLINE) != 0) {
        if (bytes > device.inline) {
          throw new AssertionError(bytes + " bytes in the work request");
        }
      } else if (bytes > 0 && !device.allows(key, Verbs.LOCAL_WRITE, address, bytes)) {
        throw new AssertionError("sends memory that the device does not know");
      }
      byte[] copy = copy(address, bytes);
      Work work = new Work(id, (flags & SIGNALLED) != 0);
      post(work, o -> deliver(work, o, copy, immediate));
    }

    @Override
    public void sendMarker(long id) throws IOException {
      Work work = new Work(id, true);
      post(work, o -> done(work));
    }

    @Override
    public void read(long id, long at, int bytes, int key, long remoteAt, int remoteKey)
        throws IOException {
      if (!device.allows(key, Verbs.LOCAL_WRITE, at, bytes)) {
        throw new AssertionError("reads into memory that the device may not write");
      }
      Work work = new Work(id, true);
      post(
          work,
          o -> {
            if (!o.device.allows(remoteKey, Verbs.REMOTE_READ, remoteAt, bytes)) {
              throw new AssertionError("reads memory that is not exposed");
            }
            int edge = Math.min(bytes, device.edge);
            int rest = Math.min(bytes - edge, edge);
            byte[] head = copy(remoteAt, edge);
            byte[] tail = copy(remoteAt + bytes - rest, rest);
            answers.add(
                () -> {
                  if (outstanding.contains(work)) {
                    paste(head, at);
                    paste(tail, at + bytes - rest);
                    done(work);
                  }
                });
          });
    }

    /** Posts an action that the other end performs on arrival, if it arrives. */
    private void post(Work work, Consumer<End> arrival) throws IOException {
      if (closed) {
        throw new IOException("closed");
      }
      outstanding.add(work);
      if (halted || state == State.ENDED) {
        flush();
        return;
      }
      data.add(
          () -> {
            End o = other;
            if (o == null || !outstanding.contains(work)) {
              return; // flushed
            }
            if (isDeaf() || o.isDeaf()) {
              flush();
            } else {
              arrival.accept(o);
            }
          });
    }

    private boolean isDeaf() {
      return closed || halted || state == State.ENDED || device.silent;
    }

    private void deliver(Work work, End o, byte[] bytes, int immediate) {
      Buffer buffer = o.device.buffers.poll();
      if (buffer == null) {
        throw new AssertionError("a message found no buffer");
      }
      paste(bytes, buffer.address);
      o.device.queue.add(new Completion(buffer.id, true, o.number, bytes.length, immediate));
      done(work);
    }

    /** Completes a request, once all earlier ones are complete. */
    private void done(Work work) {
      work.done = true;
      for (Work w; (w = outstanding.peek()) != null && w.done; ) {
        outstanding.remove();
        if (w.signalled) {
          device.queue.add(new Completion(w.id, true, number, 0, 0));
        }
      }
    }

    private void flush() {
      for (Work work; (work = outstanding.poll()) != null; ) {
        if (!closed) {
          device.queue.add(new Completion(work.id, false, number, 0, 0));
        }
      }
    }

    @Override
    public void halt() {
      halted = true;
      flush();
    }

    @Override
    public void disconnect() {
      End o = other;
      if (state != State.ENDED && o != null) {
        if (state != State.UNHEARD) {
          say(o, o::ended);
        }
        state = State.ENDED;
        flush();
      }
    }

    @Override
    public void close() {
      if (closed) {
        return;
      }
      End o = other;
      if (o != null && state == State.STANDS) {
        say(o, o::ended);
      } else if (o != null && state != State.ENDED && state != State.UNHEARD) {
        say(o, () -> o.refused(new byte[0]));
      }
      state = State.ENDED;
      closed = true;
      device.locked -= hasPair ? PAIR_BYTES : 0;
      outstanding.clear();
      device.ends.remove(this);
      device.events.removeIf(event -> event.connection() == this);
    }
  }

  private static byte[] copy(long address, int bytes) {
    return at(address, bytes).toArray(ValueLayout.JAVA_BYTE);
  }

  private static void paste(byte[] bytes, long address) {
    SparseMemory.copy(MemorySegment.ofArray(bytes), at(address, bytes.length));
  }

  @SuppressWarnings("restricted") // memory that a transport has named
  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }
}
