package org.fmi.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Moves long messages directly from one rank's memory to another's, without frames and copies, on
 * networks that support it. The receiver reads, once it knows the destination.
 *
 * <pre>
 *   sender                                    receiver
 *   expose(memory) = ticket --in a frame--&gt;   read(ticket, memory)
 *                                             poll: FrameHandler.onRead
 *   Exposure.close &lt;----------in a frame---
 * </pre>
 *
 * The caller sends the frames. It keeps memory unchanged while it is exposed or read into. Exposed
 * memory is native ({@link MemorySegment#isNative}), as the garbage collector may move heap memory
 * at any time. Called by the application's thread.
 */
public interface RemoteMemory {
  /** The length of a ticket from {@link #expose}; it is passed on unchanged. */
  int TICKET_LONGS = 2;

  /** The shortest message, in bytes, for which a read is faster than frames. */
  long leastBytes();

  /**
   * Lets the peers of this epoch read memory.
   *
   * @param ticket receives the arguments for {@link #read}
   * @return null if the memory cannot be exposed; its bytes are sent in frames then
   */
  @Nullable Exposure expose(MemorySegment memory, long offset, long bytes, long[] ticket);

  /**
   * Begins to read memory that a peer has exposed. {@link FrameHandler#onRead} reports the {@code
   * id} when all bytes have arrived, or when the rest cannot be read. If the peer fails, there may
   * be no report.
   *
   * @param base a primitive array or a {@link MemorySegment}; its {@code bytes} from {@code offset}
   *     on are undefined until the report
   * @param id unique among the current reads from that peer
   * @return false if the bytes cannot be read into this memory; they are fetched in frames then
   */
  boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id);

  /**
   * Whether the reader's processor moves the bytes, as it does with frames. The faster way then
   * depends on where the bytes are, and the caller may measure it.
   */
  default boolean byProcessor() {
    return false;
  }

  /** Whether single reads can be {@linkplain #cancel cancelled}. */
  default boolean cancels() {
    return false;
  }

  /**
   * Ends a read: from now on nothing is written to its memory, and it is not reported.
   *
   * @param id that of the read, which has not been reported yet
   */
  default void cancel(int peer, long id) {
    throw new UnsupportedOperationException("reads cannot be cancelled one by one");
  }

  /**
   * Stops all access, as the epoch is over and the memory returns to the program: after this call
   * no peer reads or writes it. Peers are not notified, as they may take a notification for the
   * death of this process. Only {@link Transport#close} and {@link Transport#wakeup} may follow.
   */
  void stop();

  /** Memory that peers may read. */
  interface Exposure extends AutoCloseable {
    /** Ends the peers' access: they have read the memory, or will not. */
    @Override
    void close();
  }
}
