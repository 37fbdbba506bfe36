package org.fmi.testkit.support;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The limit of open files of this process.
 *
 * <pre>
 *   struct rlimit: 0 soft, 8 hard
 * </pre>
 */
@SuppressWarnings("restricted") // calls the system
public final class DescriptorLimit {
  private static final int RLIMIT_NOFILE = 7;
  private static final MethodHandle GET = function("getrlimit");
  private static final MethodHandle SET = function("setrlimit");

  /** The original limits. */
  private static final MemorySegment BEFORE = Arena.global().allocate(ValueLayout.JAVA_LONG, 2);

  private static final MemorySegment LOWER = Arena.global().allocate(ValueLayout.JAVA_LONG, 2);

  private DescriptorLimit() {}

  private static MethodHandle function(String name) {
    return Linker.nativeLinker()
        .downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow(name),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  }

  /** Allows no more files to be opened; open files stay. */
  public static void lower() {
    lower(0);
  }

  /** Allows only descriptors below this number to be opened; open files stay. */
  public static void lower(int limit) {
    call(GET, BEFORE);
    LOWER.copyFrom(BEFORE).set(ValueLayout.JAVA_LONG, 0, limit);
    call(SET, LOWER);
  }

  public static void restore() {
    call(SET, BEFORE);
  }

  /** Opens something, and closes it again. */
  public interface Opening {
    void run() throws Exception;
  }

  /**
   * Opens something with more and more descriptors, until it has enough.
   *
   * @param type what an opening with too few throws; anything else is passed on
   * @return the refusals
   */
  public static <E extends Exception> List<E> refusals(Class<E> type, Opening opening)
      throws Exception {
    List<E> refusals = new ArrayList<>();
    for (int limit = 0; ; limit++) {
      lower(limit);
      try {
        opening.run();
        return refusals;
      } catch (Exception e) {
        if (!type.isInstance(e)) {
          throw e;
        }
        refusals.add(type.cast(e));
      } finally {
        restore();
      }
    }
  }

  private static void call(MethodHandle function, MemorySegment limit) {
    try {
      int result = (int) function.invokeExact(RLIMIT_NOFILE, limit);
      if (result != 0) {
        throw new AssertionError("result " + result);
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
