package org.fmi.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The common part of all providers: connections, and events and attributes of the device. */
public abstract class ManagedVerbs implements Verbs {
  /** With a frame's header and some payload. */
  private static final int SEND_BYTES = 256;

  private static final int COMPLETION_BYTES = 64;
  private static final int PAGE_BYTES = 4096;

  protected final ConnectionManager manager;
  private final OpenDevice device;
  private final Limits limits;
  private final int longestMessage;
  private int inline;

  /**
   * Finds a device with an active port and an IP address.
   *
   * @param preferred the address to use if it belongs to an RDMA device
   * @throws IOException if there is none; says what is missing
   */
  protected ManagedVerbs(InetAddress preferred) throws IOException {
    manager = new ConnectionManager(preferred);
    try {
      device = manager.device();
      limits = device.limits();
      longestMessage = device.longestMessage();
    } catch (IOException e) {
      manager.close();
      throw e;
    }
  }

  /**
   * The bytes that the device's driver locks for a connection: its send queue and its part of the
   * completion queue. A conservative estimate, as layouts differ between devices, and some lock
   * nothing.
   */
  public static long queueBytes(int sends, int window) {
    long bytes = (long) sends * SEND_BYTES + (long) (sends + window) * COMPLETION_BYTES;
    return Math.ceilDiv(bytes, PAGE_BYTES) * PAGE_BYTES;
  }

  /** Starts to listen; called at the end of {@link #open}. */
  protected void listen(ConnectionManager.QueuePairs pairs, int inlineBytes) throws IOException {
    inline = manager.open(pairs, inlineBytes);
  }

  @Override
  public String device() {
    return manager.describe();
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public InetSocketAddress address() {
    return manager.address();
  }

  @Override
  public int longestMessage() {
    return longestMessage;
  }

  @Override
  public int inline() {
    return inline;
  }

  @Override
  public RdmaConnection dial(InetSocketAddress to, byte[] greeting) throws IOException {
    return manager.dial(to, greeting);
  }

  @Override
  public @Nullable Event nextEvent() throws IOException {
    return manager.nextEvent();
  }

  @Override
  public @Nullable String deviceFailure() throws IOException {
    return device.failure();
  }

  @Override
  public int eventDescriptor() {
    return manager.descriptor();
  }

  @Override
  public int failureDescriptor() {
    return device.failureDescriptor();
  }
}
