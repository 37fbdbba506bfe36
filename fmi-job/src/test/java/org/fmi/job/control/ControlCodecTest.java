package org.fmi.job.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.fmi.control.AddressTable;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Detection;
import org.fmi.spi.IntervalModel;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ControlCodecTest {
  private static final int ROUNDS = 50;

  /** How often a value of a sealed interface was made: all its records get their turn. */
  private final Map<Class<?>, Integer> turns = new HashMap<>();

  /** One direction of one connection. */
  record Direction(Class<?> messages, Function<Object, byte[]> encode, Decoder decode) {
    @Override
    public String toString() {
      return messages.getSimpleName();
    }
  }

  interface Decoder {
    Object decode(ByteBuffer bytes) throws BadMessageException;
  }

  static Stream<Direction> directions() {
    return Stream.of(
        direction(ToDaemon.class, ToDaemonCodec::encode, ToDaemonCodec::decode),
        direction(FromDaemon.class, FromDaemonCodec::encode, FromDaemonCodec::decode),
        direction(ToRank.class, ToRankCodec::encode, ToRankCodec::decode),
        direction(FromRank.class, FromRankCodec::encode, FromRankCodec::decode),
        direction(FlushTask.class, FlushTaskCodec::encode, FlushTaskCodec::decode),
        direction(FlushResult.class, FlushResultCodec::encode, FlushResultCodec::decode));
  }

  private static <M> Direction direction(
      Class<M> messages, Function<M, byte[]> encode, Decoder decode) {
    return new Direction(messages, m -> encode.apply(messages.cast(m)), decode);
  }

  @ParameterizedTest
  @MethodSource("directions")
  void everyMessageComesBackAsItWas(Direction direction) throws BadMessageException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (Class<?> type : direction.messages().getPermittedSubclasses()) {
      for (int i = 0; i < ROUNDS; i++) {
        Object message = randomValue(type, random);
        byte[] bytes = direction.encode().apply(message);
        Object back = direction.decode().decode(ByteBuffer.wrap(bytes));
        assertThat(back)
            .as("seed %d", seed)
            .usingRecursiveComparison()
            .withEqualsForType(AddressTable::equals, AddressTable.class)
            .isEqualTo(message);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("directions")
  void whatIsCutOffOrTooLongIsRejected(Direction direction) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (Class<?> type : direction.messages().getPermittedSubclasses()) {
      byte[] bytes = direction.encode().apply(randomValue(type, random));
      for (int length = 0; length < bytes.length; length++) {
        ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
        assertThatThrownBy(() -> direction.decode().decode(cut))
            .as("seed %d, %s cut to %d", seed, type.getSimpleName(), length)
            .isInstanceOf(BadMessageException.class);
      }
      ByteBuffer longer = ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1));
      assertThatThrownBy(() -> direction.decode().decode(longer))
          .as("seed %d", seed)
          .isInstanceOf(BadMessageException.class);
    }
  }

  /** Whatever arrives: a message or a {@link BadMessageException}, nothing else. */
  @ParameterizedTest
  @MethodSource("directions")
  void garbageDoesNoHarm(Direction direction) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Class<?>[] types = direction.messages().getPermittedSubclasses();
    for (int i = 0; i < 5000; i++) {
      byte[] bytes;
      if (random.nextBoolean()) {
        bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        if (bytes.length > Integer.BYTES) {
          ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(WireVersion.VALUE);
          bytes[Integer.BYTES] = (byte) random.nextInt(20);
        }
      } else {
        bytes = direction.encode().apply(randomValue(types[random.nextInt(types.length)], random));
        for (int flips = random.nextInt(4); flips >= 0; flips--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
      }
      try {
        direction.decode().decode(ByteBuffer.wrap(bytes));
      } catch (BadMessageException e) {
        assertThat(e).as("seed %d", seed).hasMessageNotContaining("null");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ": " + Arrays.toString(bytes), e);
      }
    }
  }

  @Test
  void anotherVersionIsNamed() {
    byte[] bytes = ToDaemonCodec.encode(new ToDaemon.ShutDown());
    bytes[0]++;
    assertThatThrownBy(() -> ToDaemonCodec.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("versions differ");
  }

  // ---- random values of any record

  private Object randomValue(Type type, Random random) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        List<Object> list = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
          list.add(randomValue(arguments[0], random));
        }
        return list;
      }
      Map<Object, Object> map = new LinkedHashMap<>();
      for (int n = random.nextInt(4); n > 0; n--) {
        map.put(randomValue(arguments[0], random), randomValue(arguments[1], random));
      }
      return map;
    }
    Class<?> raw = (Class<?>) type;
    if (raw == int.class || raw == Integer.class) {
      return random.nextInt();
    } else if (raw == long.class || raw == Long.class) {
      return random.nextLong();
    } else if (raw == Double.class) {
      return random.nextDouble();
    } else if (raw == boolean.class) {
      return random.nextBoolean();
    } else if (raw == String.class) {
      return randomText(random);
    } else if (raw == byte[].class) {
      byte[] bytes = new byte[random.nextInt(50)];
      random.nextBytes(bytes);
      return bytes;
    } else if (raw == int[].class) {
      return random.ints(random.nextInt(5)).toArray();
    } else if (raw == long[].class) {
      return random.longs(random.nextInt(5)).toArray();
    } else if (raw == CheckpointInterval.class) {
      return switch (random.nextInt(3)) {
        case 0 -> new CheckpointInterval.Every(1 + random.nextInt(100));
        case 1 -> new CheckpointInterval.ByTime(0.1 + random.nextDouble());
        default ->
            new CheckpointInterval.Mtbf(
                0.1 + random.nextDouble(),
                (IntervalModel) randomValue(IntervalModel.class, random));
      };
    } else if (raw == RecoveryPolicy.Log.OfBytes.class) {
      return new RecoveryPolicy.Log.OfBytes(1 + random.nextInt(1 << 20));
    } else if (raw == RecoveryPolicy.Flow.class) {
      RecoveryPolicy.Log log =
          random.nextBoolean()
              ? null
              : (RecoveryPolicy.Log) randomValue(RecoveryPolicy.Log.class, random);
      return new RecoveryPolicy.Flow(1 + random.nextInt(100), log, random.nextBoolean());
    } else if (raw == Detection.class) {
      Object overlay = randomValue(Detection.Overlay.class, random);
      return new Detection(
          (Detection.Overlay) overlay, 1 + random.nextInt(100), random.nextBoolean());
    } else if (raw == AddressTable.class) {
      return AddressTable.of(
          Stream.generate(() -> Map.of(randomText(random), randomText(random).getBytes(UTF_8)))
              .limit(random.nextInt(4))
              .toList());
    } else if (raw.isEnum()) {
      Object[] constants = raw.getEnumConstants();
      return constants[random.nextInt(constants.length)];
    } else if (raw.isSealed()) {
      Class<?>[] types = raw.getPermittedSubclasses();
      return randomValue(types[turns.merge(raw, 1, Integer::sum) % types.length], random);
    } else if (raw.isRecord()) {
      RecordComponent[] components = raw.getRecordComponents();
      Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class[]::new);
      Object[] values = new Object[components.length];
      for (int i = 0; i < values.length; i++) {
        values[i] =
            mayBeNull(components[i]) && random.nextBoolean()
                ? null
                : randomValue(components[i].getGenericType(), random);
      }
      try {
        return raw.getConstructor(types).newInstance(values);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("no way to make a " + raw, e);
      }
    }
    throw new AssertionError("no random " + type);
  }

  private static boolean mayBeNull(RecordComponent component) {
    return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int n = random.nextInt(20); n > 0; n--) {
      text.appendCodePoint(random.nextInt(10) == 0 ? 0x1F600 + n : 32 + random.nextInt(400));
    }
    return text.toString();
  }
}
