package org.fmi.wire;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of every frame: 48 bytes, little endian, followed by the payload.
 *
 * <pre>
 *  0      1      4        8         12        16      24         32        40      48
 *  +------+------+--------+---------+---------+-------+----------+---------+-------+--------
 *  | kind |  0   | epoch  | context | payload |  tag  | sequence | length  | loop  | payload...
 *  +------+------+--------+---------+---------+-------+----------+---------+-------+--------
 * </pre>
 *
 * The sender is known from the connection. {@code payload} is the number of bytes that follow in
 * this frame. {@code tag} is a program's tag with the type of the elements or, in a context of
 * collectives, the signature of the message's call: the collective, its root, length, type and
 * operation. {@code sequence} counts the messages of one ordered pair of ranks or, for some kinds,
 * names a rendezvous. {@code length} is the whole message's length in bytes. {@code loop} is twice
 * the number of the sender's newest recovery line, plus 1 once the sender has stopped recording; 0
 * if all checkpoints are blocking.
 */
public final class FrameLayout {
  public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  public static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  public static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  public static final int KIND = 0;
  public static final int EPOCH = 4;
  public static final int CONTEXT = 8;
  public static final int PAYLOAD = 12;
  public static final int TAG = 16;
  public static final int SEQUENCE = 24;
  public static final int LENGTH = 32;
  public static final int LOOP = 40;
  public static final int HEADER_BYTES = 48;

  private FrameLayout() {}
}
