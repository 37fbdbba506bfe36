package org.fmi.job.control;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Writes the fields of a message, little endian, into an array that grows. */
final class MessageWriter {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[128];
  private int length;

  /** Begins a message of a type. */
  MessageWriter(int type) {
    putByte(MessageReader.VERSION);
    putByte(type);
  }

  MessageWriter putByte(int value) {
    room(1);
    bytes[length++] = (byte) value;
    return this;
  }

  MessageWriter putBoolean(boolean value) {
    return putByte(value ? 1 : 0);
  }

  MessageWriter putInt(int value) {
    room(Integer.BYTES);
    INT.set(bytes, length, value);
    length += Integer.BYTES;
    return this;
  }

  MessageWriter putLong(long value) {
    room(Long.BYTES);
    LONG.set(bytes, length, value);
    length += Long.BYTES;
    return this;
  }

  MessageWriter putBytes(byte[] value) {
    putInt(value.length);
    room(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
    return this;
  }

  MessageWriter putString(String value) {
    return putBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  MessageWriter putInts(int[] values) {
    putInt(values.length);
    for (int value : values) {
      putInt(value);
    }
    return this;
  }

  MessageWriter putLongs(long[] values) {
    putInt(values.length);
    for (long value : values) {
      putLong(value);
    }
    return this;
  }

  <T> MessageWriter putList(List<T> values, BiConsumer<MessageWriter, T> element) {
    putInt(values.size());
    for (T value : values) {
      element.accept(this, value);
    }
    return this;
  }

  <V> MessageWriter putMap(Map<String, V> values, BiConsumer<MessageWriter, V> element) {
    putInt(values.size());
    values.forEach(
        (key, value) -> {
          putString(key);
          element.accept(this, value);
        });
    return this;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  private void room(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(length, more)));
    }
  }
}
