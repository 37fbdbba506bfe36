package org.fmi.job.control;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parts of a message, little endian, after the version, into an array that grows. Called
 * by the generated codecs.
 */
final class MessageWriter {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[128];
  private int length;

  /** Starts a message. */
  MessageWriter() {
    putInt(WireVersion.VALUE);
  }

  void putByte(int value) {
    room(1);
    bytes[length++] = (byte) value;
  }

  void putBoolean(boolean value) {
    putByte(value ? 1 : 0);
  }

  void putInt(int value) {
    room(Integer.BYTES);
    INT.set(bytes, length, value);
    length += Integer.BYTES;
  }

  void putLong(long value) {
    room(Long.BYTES);
    LONG.set(bytes, length, value);
    length += Long.BYTES;
  }

  void putDouble(double value) {
    putLong(Double.doubleToLongBits(value));
  }

  void putBytes(byte[] value) {
    putInt(value.length);
    room(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
  }

  void putString(String value) {
    putBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  void putEnum(Enum<?> value) {
    putString(value.name());
  }

  void putInts(int[] values) {
    putInt(values.length);
    for (int value : values) {
      putInt(value);
    }
  }

  void putLongs(long[] values) {
    putInt(values.length);
    for (long value : values) {
      putLong(value);
    }
  }

  <T> void putList(List<T> values, BiConsumer<MessageWriter, T> element) {
    putInt(values.size());
    for (T value : values) {
      element.accept(this, value);
    }
  }

  <K, V> void putMap(
      Map<K, V> values, BiConsumer<MessageWriter, K> key, BiConsumer<MessageWriter, V> value) {
    putInt(values.size());
    values.forEach(
        (k, v) -> {
          key.accept(this, k);
          value.accept(this, v);
        });
  }

  <T> void putNullable(@Nullable T value, BiConsumer<MessageWriter, T> part) {
    putBoolean(value != null);
    if (value != null) {
      part.accept(this, value);
    }
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
