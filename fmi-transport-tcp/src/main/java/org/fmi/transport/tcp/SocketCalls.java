package org.fmi.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls send(2) and recv(2) on the socket of a channel, bypassing Netty, with the program's own
 * memory, heap memory included. Netty's buffers would require a copy.
 *
 * <p>The calls are critical in the sense of {@link Linker.Option#critical}: the garbage collector
 * waits for them. They move at most one frame, and do not block.
 */
final class SocketCalls {
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_MORE = 0x8000;

  /** Linked at the first long message, as it takes tens of milliseconds. */
  private static final class Calls {
    static final MethodHandle SEND = function("send");
    static final MethodHandle RECV = function("recv");

    @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
    private static MethodHandle function(String name) {
      return Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow(name),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT),
              Linker.Option.critical(true));
    }
  }

  private SocketCalls() {}

  /** The channel's descriptor; -1 for Java's own channels, which do not reveal it. */
  static int descriptor(Channel channel) {
    return channel instanceof UnixChannel unix ? unix.fd().intValue() : -1;
  }

  /**
   * Sends as much as the socket takes now.
   *
   * @param more whether more follows at once, so that no packet need leave yet
   * @return the number of bytes taken; also 0 if the connection is broken, which Netty will notice
   */
  static int send(int descriptor, MemorySegment memory, boolean more) {
    int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : 0);
    try {
      return moved((long) Calls.SEND.invokeExact(descriptor, memory, memory.byteSize(), flags));
    } catch (RuntimeException | Error e) {
      throw e; // thrown for the memory: its arena may be closed
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Receives available bytes; returns their number. See {@link #send}. */
  static int receive(int descriptor, MemorySegment memory) {
    try {
      return moved(
          (long) Calls.RECV.invokeExact(descriptor, memory, memory.byteSize(), MSG_DONTWAIT));
    } catch (RuntimeException | Error e) {
      throw e; // thrown for the memory: its arena may be closed
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  private static int moved(long result) {
    return Math.max(0, (int) result);
  }

  private static IllegalStateException unexpected(Throwable t) {
    return new IllegalStateException("a call of the system throws nothing", t);
  }
}
