package org.fmi.job.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a message. Called by the generated codecs. Trusts no length: announced data
 * must be present, so that a sender cannot make the reader allocate more than was sent.
 */
final class MessageReader {
  private final ByteBuffer in;

  /**
   * Starts a message.
   *
   * @throws BadMessageException if it has another version
   */
  MessageReader(ByteBuffer message) throws BadMessageException {
    in = message.slice().order(ByteOrder.LITTLE_ENDIAN);
    int version = getInt();
    if (version != WireVersion.VALUE) {
      throw new BadMessageException(
          "message of version %08x, expected %08x: FMI versions differ"
              .formatted(version, WireVersion.VALUE));
    }
  }

  /** Reads one part of a message. */
  interface Part<T> {
    T read(MessageReader in) throws BadMessageException;
  }

  /** Reads a message that consists of this part alone. */
  <T> T whole(Part<T> part) throws BadMessageException {
    T message;
    try {
      message = part.read(this);
    } catch (IllegalArgumentException e) {
      throw new BadMessageException(String.valueOf(e.getMessage())); // of a record
    }
    if (in.hasRemaining()) {
      throw new BadMessageException(in.remaining() + " bytes too many");
    }
    return message;
  }

  int getByte() throws BadMessageException {
    need(1);
    return in.get() & 0xff;
  }

  boolean getBoolean() throws BadMessageException {
    int value = getByte();
    if (value > 1) {
      throw new BadMessageException("neither true nor false: " + value);
    }
    return value == 1;
  }

  int getInt() throws BadMessageException {
    need(Integer.BYTES);
    return in.getInt();
  }

  long getLong() throws BadMessageException {
    need(Long.BYTES);
    return in.getLong();
  }

  double getDouble() throws BadMessageException {
    return Double.longBitsToDouble(getLong());
  }

  byte[] getBytes() throws BadMessageException {
    byte[] value = new byte[count(1)];
    in.get(value);
    return value;
  }

  String getString() throws BadMessageException {
    byte[] value = getBytes();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      throw new BadMessageException("text that is not UTF-8");
    }
  }

  <E extends Enum<E>> E getEnum(Class<E> type) throws BadMessageException {
    String name = getString();
    try {
      return Enum.valueOf(type, name);
    } catch (IllegalArgumentException e) {
      throw new BadMessageException("no " + type.getSimpleName() + " of this name");
    }
  }

  int[] getInts() throws BadMessageException {
    int[] values = new int[count(Integer.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.getInt();
    }
    return values;
  }

  long[] getLongs() throws BadMessageException {
    long[] values = new long[count(Long.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.getLong();
    }
    return values;
  }

  <T> List<T> getList(Part<T> element) throws BadMessageException {
    int count = count(1);
    List<T> values = new ArrayList<>(Math.min(count, 1024));
    for (int i = 0; i < count; i++) {
      values.add(element.read(this));
    }
    return List.copyOf(values);
  }

  <K, V> Map<K, V> getMap(Part<K> key, Part<V> value) throws BadMessageException {
    int count = count(Integer.BYTES);
    Map<K, V> values = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      if (values.put(key.read(this), value.read(this)) != null) {
        throw new BadMessageException("two values for one key");
      }
    }
    return values;
  }

  <T> @Nullable T getNullable(Part<T> part) throws BadMessageException {
    return getBoolean() ? part.read(this) : null;
  }

  /** Returns the exception for an unknown record. */
  BadMessageException unknownTag(String type, int tag) {
    return new BadMessageException("unknown " + type + " " + tag);
  }

  private int count(int leastBytesEach) throws BadMessageException {
    int count = getInt();
    if (count < 0 || count > in.remaining() / leastBytesEach) {
      throw new BadMessageException("count " + count + " beyond the end of the message");
    }
    return count;
  }

  private void need(int bytes) throws BadMessageException {
    if (in.remaining() < bytes) {
      throw new BadMessageException("message ends early");
    }
  }
}
