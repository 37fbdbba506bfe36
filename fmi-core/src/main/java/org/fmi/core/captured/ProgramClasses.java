package org.fmi.core.captured;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.security.CodeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The classes of a program: classes in the same jar or directory as the class with its loop, or in
 * other directories of the class path. Other jars are libraries.
 */
final class ProgramClasses {
  private static final String OWN_PACKAGES = "org.fmi.";

  /** Packages of the JDK. */
  private static final List<String> NOT_OF_PROGRAMS =
      List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

  private static final String LAMBDA = "$$Lambda";

  private final Class<?> withLoop;
  private final @Nullable URL place;
  private final Map<Class<?>, Boolean> known = new HashMap<>();

  private final Map<Class<?>, List<Field>> fields = new HashMap<>();

  /** The program's classes that a class's code mentions. */
  private final Map<Class<?>, Set<String>> mentioned = new HashMap<>();

  /** Names of the program's classes that are known to be initialized. */
  private final Set<String> initialized = new HashSet<>();

  /**
   * The classes of the program that this class belongs to.
   *
   * @param withLoop the class whose code has the loop
   */
  ProgramClasses(Class<?> withLoop) {
    this.withLoop = withLoop;
    this.place = place(withLoop);
  }

  /** The class whose source has this class, if it is compiled from a lambda. */
  static Class<?> sourceOf(Class<?> type) {
    int lambda = type.getName().indexOf(LAMBDA);
    if (!type.isHidden() || lambda < 0) {
      return type;
    }
    try {
      return Class.forName(type.getName().substring(0, lambda), false, type.getClassLoader());
    } catch (ClassNotFoundException e) {
      return type.getNestHost();
    }
  }

  /** The bytes of a class; null if they are not available. */
  static byte @Nullable [] bytes(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    String file = type.getName().replace('.', '/') + ".class";
    try (InputStream in = loader == null ? null : loader.getResourceAsStream(file)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      return null;
    }
  }

  /** Whether this is a class of the program. */
  boolean has(Class<?> type) {
    return known.computeIfAbsent(type, this::find);
  }

  /** Whether the fields of objects of this class are examined. */
  boolean isFollowed(Class<?> type) {
    return has(type) && !type.isEnum();
  }

  /** The examined fields of an object of this class; the fields of the class itself come first. */
  List<Field> fields(Class<?> type) {
    return fields.computeIfAbsent(type, this::findFields);
  }

  private List<Field> findFields(Class<?> type) {
    List<Field> found = new ArrayList<>();
    for (Class<?> c = type; c != null && isFollowed(c); c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (counts(field, false)) {
          found.add(field);
        }
      }
    }
    return found;
  }

  /** Whether a field is examined. Transient fields are not. */
  static boolean counts(Field field, boolean ofClass) {
    int modifiers = field.getModifiers();
    return Modifier.isStatic(modifiers) == ofClass
        && !Modifier.isTransient(modifiers)
        && field.trySetAccessible();
  }

  private boolean find(Class<?> type) {
    URL of = place(type);
    return of != null && (of.equals(place) || isOther(of, type.getName()));
  }

  private static @Nullable URL place(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return type.getClassLoader() == null || source == null ? null : source.getLocation();
  }

  /** Whether it is in a directory of classes; FMI's own classes, which may be too, are excluded. */
  private static boolean isOther(URL url, String type) {
    return url.getProtocol().equals("file")
        && !url.getPath().endsWith(".jar")
        && !type.startsWith(OWN_PACKAGES);
  }

  /** Whether this is a class of the program, which need not be loaded. */
  private boolean has(String name) {
    ClassLoader loader = withLoop.getClassLoader();
    URL file = loader == null ? null : loader.getResource(name.replace('.', '/') + ".class");
    return file != null
        && (file.toString().startsWith(String.valueOf(place))
            || file.toString().startsWith("jar:" + place + "!/")
            || isOther(file, name));
  }

  /**
   * The classes that the code of the class with the loop, or that of {@code others}, uses directly
   * or indirectly. Classes that are not initialized are left out: no code of theirs has run.
   *
   * @param asks whether to look for classes initialized since the last time
   */
  Set<Class<?>> used(Collection<Class<?>> others, boolean asks) {
    Set<Class<?>> found = new LinkedHashSet<>();
    Set<String> unknown = new HashSet<>();
    collect(others, found, unknown);
    if (asks && !unknown.isEmpty() && addInitialized(unknown)) {
      found.clear();
      collect(others, found, unknown);
    }
    return found;
  }

  private void collect(Collection<Class<?>> others, Set<Class<?>> found, Set<String> unknown) {
    Deque<Class<?>> open = new ArrayDeque<>(others);
    open.push(withLoop);
    while (!open.isEmpty()) {
      Class<?> type = open.pop();
      if (!has(type) || type.isHidden() || !found.add(type)) {
        continue;
      }
      for (String name : mentioned.computeIfAbsent(type, this::mentionedBy)) {
        if (initialized.contains(name)) {
          try {
            open.add(Class.forName(name, false, type.getClassLoader()));
          } catch (ClassNotFoundException | LinkageError e) {
            // It is initialized in another class loader, and not used from here.
          }
        } else {
          unknown.add(name);
        }
      }
    }
  }

  private Set<String> mentionedBy(Class<?> type) {
    Set<String> names = new LinkedHashSet<>();
    byte[] bytes = bytes(type);
    if (bytes != null) {
      for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
        if (entry instanceof ClassEntry each) {
          String name = each.asInternalName().replace('/', '.');
          if (!name.equals(type.getName()) && !name.startsWith("[") && has(name)) {
            names.add(name);
          }
        }
      }
    }
    return names;
  }

  /**
   * Finds out which of these classes, and of all that they mention, are initialized. Reading a
   * static field to find out would initialize the class, and run code that the program may never
   * run.
   *
   * @return whether one of them is
   * @throws IllegalStateException if the JVM does not list its classes
   */
  private boolean addInitialized(Set<String> names) {
    Object list;
    try {
      list =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "vmClasses",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IllegalStateException(
          "--check looks at static fields and needs the JVM's command VM.classes, which has failed:"
              + " use a HotSpot JVM",
          e);
    }
    list.toString()
        .lines()
        .filter(line -> line.contains(" fully_initialized "))
        .map(line -> line.strip().substring(line.strip().lastIndexOf(' ') + 1))
        .filter(name -> NOT_OF_PROGRAMS.stream().noneMatch(name::startsWith))
        .forEach(initialized::add);
    return names.stream().anyMatch(initialized::contains);
  }
}
