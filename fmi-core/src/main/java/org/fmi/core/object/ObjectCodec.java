package org.fmi.core.object;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;

/**
 * Converts {@link java.io.Serializable} objects to bytes and back, by Java's serialization.
 *
 * <p>The bytes come from a rank of the same job, but through the memory of other nodes, so they are
 * read behind a filter:
 *
 * <ul>
 *   <li>Classes must be the program's, or of the module java.base, which has strings, numbers,
 *       dates, collections and random generators. Other modules of the JDK have classes that run
 *       code when they are read; so do dynamic proxies.
 *   <li>No array is longer than the bytes can fill, so that a few bytes do not ask for gigabytes.
 *   <li>A filter that the user gives the JVM ({@code jdk.serialFilter}) applies too.
 * </ul>
 *
 * <p>The rule for classes also applies when an object is written, so that a violation shows at once
 * rather than at the recovery that needs the object.
 */
public final class ObjectCodec {
  /** Array elements per byte: a hash table has more places than entries, of two bytes at least. */
  private static final long DENSITY = 16;

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
    try (Input in = new Input(bytes, standIns)) {
      return in.readObject();
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("there is no class " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    } catch (StackOverflowError e) {
      throw tooDeep(e);
    }
  }

  private static IllegalArgumentException tooDeep(StackOverflowError e) {
    return new IllegalArgumentException(
        "its objects refer to one another too deeply for the thread's stack: use a collection"
            + " instead of objects that are linked, or a larger stack (-Xss)",
        e);
  }

  private static boolean isAllowed(Class<?> type) {
    Class<?> element = type;
    while (element.isArray()) {
      element = element.componentType();
    }
    ClassLoader loader = element.getClassLoader();
    boolean ofProgram = loader != null && !loader.equals(ClassLoader.getPlatformClassLoader());
    return ofProgram || "java.base".equals(element.getModule().getName());
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
      if (!isAllowed(type)) {
        throw refused("a " + type.getName() + " of " + type.getModule());
      }
    }

    @Override
    protected void annotateProxyClass(Class<?> type) throws IOException {
      throw refused("a dynamic proxy");
    }
  }

  private static final class Input extends ObjectInputStream {
    private final StandIns standIns;

    Input(byte[] bytes, StandIns standIns) throws IOException {
      super(new ByteArrayInputStream(bytes));
      this.standIns = standIns;
      enableResolveObject(true);
      long most = DENSITY * bytes.length;
      setObjectInputFilter(
          ObjectInputFilter.merge(
              info -> info.arrayLength() > most ? Status.REJECTED : Status.UNDECIDED,
              Input::classes));
    }

    @Override
    protected Object resolveObject(Object read) throws IOException {
      return standIns.find(read);
    }

    private static Status classes(FilterInfo info) {
      Class<?> type = info.serialClass();
      if (type == null) {
        return Status.UNDECIDED;
      }
      return isAllowed(type) ? Status.ALLOWED : Status.REJECTED;
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass described)
        throws IOException, ClassNotFoundException {
      ClassLoader ofProgram = Thread.currentThread().getContextClassLoader();
      try {
        return Class.forName(described.getName(), false, ofProgram);
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
