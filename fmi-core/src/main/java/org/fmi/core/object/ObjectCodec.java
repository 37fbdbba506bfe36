package org.fmi.core.object;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts {@link java.io.Serializable} objects to bytes and back: state by Java's serialization,
 * messages by {@link PlainObjects} where that knows the object, and by Java's serialization else.
 *
 * <p>The bytes come from a rank of the same job, but through the memory of other nodes, so they are
 * read behind a filter:
 *
 * <ul>
 *   <li>Classes must be the program's, or of the module java.base, which has strings, numbers,
 *       dates, collections and random generators. Other modules of the JDK have classes that run
 *       code when they are read; so do dynamic proxies.
 *   <li>No array is longer than the bytes can fill, so that a few bytes do not ask for gigabytes.
 *   <li>A filter that the user gives the JVM ({@code jdk.serialFilter}) applies too, and so does
 *       one for FMI alone ({@code fmi.objectFilter}).
 * </ul>
 *
 * <p>The rule for classes also applies when an object is written, so that a violation shows at once
 * rather than at the recovery that needs the object.
 */
public final class ObjectCodec {
  /**
   * An object as a message.
   *
   * @param array the first {@code length} bytes are the message
   */
  public record Bytes(byte[] array, int length) {}

  private ObjectCodec() {}

  /**
   * Converts an object and everything that it refers to.
   *
   * @throws IllegalArgumentException if it cannot be written, or could not be read; names the class
   *     at fault
   */
  public static byte[] write(Object object) {
    return write(object, StandIns.NONE);
  }

  /** Converts an object that may refer to objects with substitutes. */
  public static byte[] write(Object object, StandIns standIns) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Output out = new Output(bytes, standIns)) {
      out.writeObject(object);
    } catch (NotSerializableException e) {
      throw new IllegalArgumentException(
          "it refers to a " + e.getMessage() + ", which is not java.io.Serializable", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    } catch (StackOverflowError e) {
      throw tooDeep(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Restores the object that {@link #write} has converted.
   *
   * @throws IllegalArgumentException if it cannot or must not be read
   */
  public static Object read(byte[] bytes) {
    return read(bytes, StandIns.NONE);
  }

  /** Restores an object that may refer to objects with substitutes. */
  public static Object read(byte[] bytes, StandIns standIns) {
    return read(bytes, standIns, new ObjectFilter());
  }

  static Object read(byte[] bytes, StandIns standIns, ObjectFilter filter) {
    Input.Refused refused = new Input.Refused();
    try (Input in = new Input(bytes, standIns, filter, refused)) {
      return in.readObject();
    } catch (ClassNotFoundException e) {
      throw noClass(e);
    } catch (IOException e) {
      if (refused.type != null && e instanceof InvalidClassException) {
        throw new IllegalArgumentException(refusedByFilter(refused.type.getName()), e);
      }
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    } catch (StackOverflowError e) {
      throw tooDeep(e);
    }
  }

  // ---- messages

  /**
   * Converts an object, and everything that it refers to, to a message.
   *
   * @throws IllegalArgumentException as {@link #write}
   */
  public static Bytes writeMessage(@Nullable Object object) {
    try {
      PlainObjects.Output plain = new PlainObjects.Output(object);
      return new Bytes(plain.bytes, plain.length);
    } catch (PlainObjects.NotPlain e) {
      byte[] bytes = write(Objects.requireNonNull(object));
      return new Bytes(bytes, bytes.length);
    }
  }

  /**
   * Restores the object that {@link #writeMessage} has converted.
   *
   * @throws IllegalArgumentException if it cannot or must not be read
   */
  public static @Nullable Object readMessage(byte[] bytes) {
    return readMessage(bytes, new ObjectFilter());
  }

  static @Nullable Object readMessage(byte[] bytes, ObjectFilter filter) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException("it is an empty array: send an object with sendObject");
    }
    if (!PlainObjects.isPlain(bytes)) {
      return read(bytes, StandIns.NONE, filter);
    }
    try {
      return new PlainObjects.Input(bytes, filter, loaderOfProgram()).read();
    } catch (ClassNotFoundException e) {
      throw noClass(e);
    }
  }

  private static ClassLoader loaderOfProgram() {
    return Thread.currentThread().getContextClassLoader();
  }

  static Class<?> classOf(String name, ClassLoader loader) throws ClassNotFoundException {
    return Class.forName(name, false, loader);
  }

  private static IllegalArgumentException noClass(ClassNotFoundException e) {
    return new IllegalArgumentException("there is no class " + e.getMessage(), e);
  }

  /** Returns the reason why a class is refused, and the remedy. */
  static String refusedByFilter(String name) {
    return "a filter refuses "
        + name
        + ": let the filter that you have given allow it (-J -Dfmi.objectFilter=... or"
        + " -Djdk.serialFilter=...); without one, classes of the program and of the module"
        + " java.base are allowed";
  }

  private static IllegalArgumentException tooDeep(StackOverflowError e) {
    return new IllegalArgumentException(
        "its objects refer to one another too deeply for the thread's stack: use a collection"
            + " instead of objects that are linked, or a larger stack (-Xss)",
        e);
  }

  private static InvalidClassException refused(String what) {
    return new InvalidClassException(
        "it refers to "
            + what
            + "; serialized objects must be of the program's own classes or of the module"
            + " java.base");
  }

  private static final class Output extends ObjectOutputStream {
    private final StandIns standIns;

    Output(OutputStream out, StandIns standIns) throws IOException {
      super(out);
      this.standIns = standIns;
      enableReplaceObject(true);
    }

    @Override
    protected Object replaceObject(Object object) {
      return standIns.of(object);
    }

    @Override
    protected void annotateClass(Class<?> type) throws IOException {
      if (!ObjectFilter.holdsData(type)) {
        throw refused("a " + type.getName() + " of " + type.getModule());
      }
    }

    @Override
    protected void annotateProxyClass(Class<?> type) throws IOException {
      throw refused("a dynamic proxy");
    }
  }

  private static final class Input extends ObjectInputStream {
    /** The class that the filter has refused last. */
    private static final class Refused {
      @Nullable Class<?> type;
    }

    private final StandIns standIns;

    Input(byte[] bytes, StandIns standIns, ObjectFilter filter, Refused refused)
        throws IOException {
      super(new ByteArrayInputStream(bytes));
      this.standIns = standIns;
      enableResolveObject(true);
      ObjectInputFilter all = filter.ofBytes(bytes.length);
      setObjectInputFilter(
          info -> {
            Status status = all.checkInput(info);
            if (status == Status.REJECTED && info.arrayLength() < 0) {
              refused.type = info.serialClass();
            }
            return status;
          });
    }

    @Override
    protected Object resolveObject(Object read) throws IOException {
      return standIns.find(read);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass described)
        throws IOException, ClassNotFoundException {
      try {
        return classOf(described.getName(), loaderOfProgram());
      } catch (ClassNotFoundException e) {
        return super.resolveClass(described); // a primitive type
      }
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces) throws IOException {
      throw refused("a dynamic proxy");
    }
  }
}
