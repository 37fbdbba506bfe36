package org.fmi.logring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * A device controlled by a test. It does not wake its user: the test does, once it has set the next
 * event.
 */
final class ScriptedVerbs implements Verbs {
  /** The connections dialled. */
  final BlockingQueue<Dialled> dialled = new LinkedBlockingQueue<>();

  final Queue<Event> events = new ConcurrentLinkedQueue<>();

  /** Connections whose work has failed. */
  final Queue<Dialled> broken = new ConcurrentLinkedQueue<>();

  /** Counts rounds that the log-ring's thread has begun. */
  final Semaphore rounds = new Semaphore(0);

  volatile @Nullable String failure;
  volatile boolean notifies = true;
  volatile boolean accepts = true;

  /** Whether strangers send requests all the time. */
  volatile boolean flood;

  volatile boolean closed;
  private final List<Dialled> fetched = new ArrayList<>();
  private int named;

  /** A connection dialled by this rank or by a peer. */
  final class Dialled implements RdmaConnection {
    final int number = ++named;
    final byte[] greeting;
    volatile boolean asked = true;
    volatile boolean closed;
    volatile long lastId;
    volatile byte[] refusal = {};

    Dialled(byte[] greeting) {
      this.greeting = greeting;
    }

    void happens(Event.Kind kind, byte[] words) {
      events.add(new Event(kind, this, words, "scripted"));
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public boolean asked() {
      return asked;
    }

    @Override
    public boolean accept(byte[] words) {
      return accepts;
    }

    @Override
    public void reject(byte[] words) {
      refusal = words;
    }

    @Override
    public void send(long id, long address, int bytes, int key, int immediate, int flags) {
      lastId = id;
    }

    @Override
    public void read(long id, long address, int bytes, int key, long remoteAddress, int remoteKey) {
      throw new AssertionError("the log-ring reads nothing");
    }

    @Override
    public void sendMarker(long id) {
      throw new AssertionError("the log-ring sends no marker");
    }

    @Override
    public void halt() {}

    @Override
    public void disconnect() {}

    @Override
    public void close() {
      closed = true;
    }
  }

  @Override
  public String device() {
    return "scripted";
  }

  @Override
  public Limits limits() {
    return new Limits(64, 64, 64);
  }

  @Override
  public void open(Sizes sizes) {}

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  }

  @Override
  public int longestMessage() {
    return 1 << 20;
  }

  @Override
  public int inline() {
    return 0;
  }

  @Override
  public Region register(MemorySegment memory, int access) {
    return new Region() {
      @Override
      public int key() {
        return 1;
      }

      @Override
      public int remoteKey() {
        return 1;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void postReceive(long id, long address, int bytes, int key) {}

  @Override
  public int poll() {
    fetched.clear();
    for (Dialled d; (d = broken.poll()) != null; ) {
      fetched.add(d);
    }
    return fetched.size();
  }

  @Override
  public long id(int i) {
    return fetched.get(i).lastId;
  }

  @Override
  public boolean succeeded(int i) {
    return false;
  }

  @Override
  public String failure(int i) {
    return "scripted";
  }

  @Override
  public int connection(int i) {
    return fetched.get(i).number;
  }

  @Override
  public int bytes(int i) {
    return 0;
  }

  @Override
  public int immediate(int i) {
    return 0;
  }

  @Override
  public void requestNotification() throws IOException {
    if (!notifies) {
      throw new IOException("scripted: no notification");
    }
  }

  @Override
  public void takeNotifications() {
    rounds.release();
  }

  @Override
  public RdmaConnection dial(InetSocketAddress to, byte[] greeting) {
    Dialled d = new Dialled(greeting);
    dialled.add(d);
    return d;
  }

  @Override
  public @Nullable Event nextEvent() {
    Event event = events.poll();
    return event == null && flood
        ? new Event(Event.Kind.REQUEST, new Dialled(new byte[8]), new byte[8], "scripted")
        : event;
  }

  @Override
  public @Nullable String deviceFailure() {
    return failure;
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
    closed = true;
  }
}
