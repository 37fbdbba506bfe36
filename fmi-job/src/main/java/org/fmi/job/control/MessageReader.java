package org.fmi.job.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the fields of a message. Trusts no length: what is announced must be there, so that nobody
 * can make the reader allocate more than was sent.
 */
final class MessageReader {
  /** The version of all messages of the control plane; grows when one of them changes. */
  static final int VERSION = 4;

  private final ByteBuffer in;
  private final int type;

  MessageReader(ByteBuffer message) throws BadMessageException {
    in = message.slice().order(ByteOrder.LITTLE_ENDIAN);
    int version = getByte();
    if (version != VERSION) {
      throw new BadMessageException(
          "message of version " + version + ", expected " + VERSION + ": FMI versions differ");
    }
    type = getByte();
  }

  int type() {
    return type;
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

  /** Reads one element of a list or map. */
  interface Element<T> {
    T read(MessageReader in) throws BadMessageException;
  }

  <T> List<T> getList(Element<T> element) throws BadMessageException {
    int count = count(1);
    List<T> values = new ArrayList<>(Math.min(count, 1024));
    for (int i = 0; i < count; i++) {
      values.add(element.read(this));
    }
    return values;
  }

  <V> Map<String, V> getMap(Element<V> element) throws BadMessageException {
    int count = count(Integer.BYTES);
    Map<String, V> values = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String key = getString();
      if (values.put(key, element.read(this)) != null) {
        throw new BadMessageException("two values for one key");
      }
    }
    return values;
  }

  <E extends Enum<E>> E getEnum(Class<E> type) throws BadMessageException {
    String name = getString();
    try {
      return Enum.valueOf(type, name);
    } catch (IllegalArgumentException e) {
      throw new BadMessageException("no " + type.getSimpleName() + " of this name");
    }
  }

  /** Ends the message: returns {@code message} if nothing is left over. */
  <T> T end(T message) throws BadMessageException {
    if (in.hasRemaining()) {
      throw new BadMessageException(in.remaining() + " bytes too many");
    }
    return message;
  }

  BadMessageException unknownType() {
    return new BadMessageException("unknown message type " + type);
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
