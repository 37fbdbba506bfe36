package org.fmi.core.object;

import java.io.Externalizable;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Access to the components and the constructor of a record, as Java's serialization has it. */
final class RecordShape {
  /** Methods by which a class changes what Java's serialization does. */
  private static final Set<String> HOOKS = Set.of("writeReplace", "readResolve");

  /** The shapes of classes, each made once. */
  static final ClassValue<RecordShape> OF =
      new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
          return new RecordShape(type);
        }
      };

  private final MethodHandle @Nullable [] accessors;
  private final @Nullable MethodHandle constructor;

  private RecordShape(Class<?> type) {
    MethodHandle[] reads = null;
    MethodHandle makes = null;
    if (isPlain(type)) {
      try {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
            Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        makes =
            lookup
                .findConstructor(type, MethodType.methodType(void.class, types))
                .asSpreader(Object[].class, types.length)
                .asType(MethodType.methodType(Object.class, Object[].class));
        reads = new MethodHandle[components.length];
        for (int i = 0; i < reads.length; i++) {
          // The field, as Java's serialization does: an accessor may return another value.
          reads[i] =
              lookup
                  .findGetter(type, components[i].getName(), types[i])
                  .asType(MethodType.methodType(Object.class, Object.class));
        }
      } catch (ReflectiveOperationException e) {
        reads = null; // of a module that is not open: Java's serialization can access it
        makes = null;
      }
    }
    accessors = reads;
    constructor = makes;
  }

  private static boolean isPlain(Class<?> type) {
    return type.isRecord()
        && !type.isHidden()
        && Serializable.class.isAssignableFrom(type)
        && !Externalizable.class.isAssignableFrom(type)
        && ObjectFilter.holdsData(type)
        && Arrays.stream(type.getDeclaredMethods()).map(Method::getName).noneMatch(HOOKS::contains);
  }

  /** Whether components and constructor are accessible; if not, Java's serialization is used. */
  boolean isKnown() {
    return accessors != null;
  }

  /** Returns the number of components. */
  int size() {
    return accessors == null ? 0 : accessors.length;
  }

  /** A component of a record. */
  @Nullable Object get(Object of, int component) {
    if (accessors == null) {
      throw new IllegalStateException("not a record that is taken apart");
    }
    try {
      return (Object) accessors[component].invokeExact(of);
    } catch (Throwable e) {
      throw new IllegalStateException("a record's field was not read", e);
    }
  }

  /**
   * A record of these components.
   *
   * @throws Throwable what its constructor throws; {@link ClassCastException} or {@link
   *     NullPointerException} if they are of other types
   */
  Object make(@Nullable Object[] components) throws Throwable {
    if (constructor == null) {
      throw new IllegalStateException("not a record that is made");
    }
    return (Object) constructor.invokeExact(components);
  }
}
