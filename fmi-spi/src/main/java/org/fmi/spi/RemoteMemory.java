package org.fmi.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Moves long messages from one rank's memory straight into another's, without frames and without
 * copies: what a transport has if its network can. The receiver reads, when it knows where to.
 *
 * <pre>
 *   sender                                    receiver
 *   expose(memory) = ticket --in a frame--&gt;   read(ticket, memory)
 *                                             poll: FrameHandler.onRead
 *   Exposure.close &lt;----------in a frame---
 * </pre>
 *
 * The frames are the caller's. It keeps memory as it is while it is exposed or read into. What is
 * exposed is native memory ({@link MemorySegment#isNative}): what is on the heap may be moved by
 * the garbage collector at any time. Called by the application's thread.
 */
public interface RemoteMemory {
  /** The length of what {@link #expose} gives; pass it on as it is. */
  int TICKET_LONGS = 2;

  /** The shortest message in bytes that is better read than sent in frames. */
  long leastBytes();

  /**
   * Lets the peers of this epoch read memory.
   *
   * @param ticket is filled with what {@link #read} needs
   * @return null if it cannot be exposed: its bytes are to be sent in frames
   */
  @Nullable Exposure expose(MemorySegment memory, long offset, long bytes, long[] ticket);

  /**
   * Begins to read what a peer has exposed. {@link FrameHandler#onRead} tells the {@code id} when
   * all is here, or when it turns out that the rest cannot be read. If the peer fails, nothing may.
   *
   * @param base a primitive array or a {@link MemorySegment}; its {@code bytes} from {@code offset}
   *     on are undefined until then
   * @param id names it among all that are read from that peer at this time
   * @return false if it cannot be read into this memory: its bytes are to be fetched in frames
   */
  boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id);

  /**
   * Whether the reader's processor moves the bytes, as it does with those of frames. Then it
   * depends on where the bytes lie which of the two takes less time: the caller may measure it.
   */
  default boolean byProcessor() {
    return false;
  }

  /**
   * The epoch is over, and the memory is about to be the program's again: when this returns, none
   * of it is read or written from outside any more. Nobody is notified: the peers may take what
   * looks like the end of this process for its death. Nothing but {@link Transport#close} and
   * {@link Transport#wakeup} may follow.
   */
  void stop();

  /** Memory that peers may read. */
  interface Exposure extends AutoCloseable {
    /** They have, or will not: it is its owner's again. */
    @Override
    void close();
  }
}
