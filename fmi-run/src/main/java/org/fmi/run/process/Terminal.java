package org.fmi.run.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Properties of a stream of this process: whether it is a terminal, which process group owns that,
 * and its width.
 */
public final class Terminal {
  public static final int IN = 0;
  public static final int OUT = 1;
  public static final int ERR = 2;

  private static final int DEFAULT_WIDTH = 80;

  // Of asm-generic/ioctls.h.
  private static final long TIOCGPGRP = 0x540f;
  private static final long TIOCGWINSZ = 0x5413;

  /** A field of {@link ProcessStat}. */
  private static final int GROUP = 5;

  /** Four unsigned shorts: rows, columns, and both in pixels (ioctl_tty(2)). */
  private static final int WINDOW_SHORTS = 4;

  private Terminal() {}

  /**
   * Whether it is a terminal on which a line can be redrawn.
   *
   * @param stream {@link #OUT} or {@link #ERR}
   */
  public static boolean is(int stream) {
    String kind = System.getenv("TERM");
    try {
      String target =
          Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(stream))).toString();
      return (target.startsWith("/dev/pts/") || target.startsWith("/dev/tty"))
          && kind != null
          && !kind.equals("dumb");
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns its current number of columns; 80 if unknown. */
  public static int width(int stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment window = arena.allocate(ValueLayout.JAVA_SHORT, WINDOW_SHORTS);
      int result = (int) Calls.IOCTL.invokeExact(stream, TIOCGWINSZ, window);
      int columns = Short.toUnsignedInt(window.getAtIndex(ValueLayout.JAVA_SHORT, 1));
      return result == 0 && columns > 0 ? columns : DEFAULT_WIDTH;
    } catch (Throwable e) {
      return DEFAULT_WIDTH;
    }
  }

  /** Whether it is the terminal of this process, but this process is in its background. */
  public static boolean isOthers(int stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment group = arena.allocate(ValueLayout.JAVA_INT);
      int result = (int) Calls.IOCTL.invokeExact(stream, TIOCGPGRP, group);
      String own = ProcessStat.of(Path.of("/proc/self")).field(GROUP);
      return result == 0 && group.get(ValueLayout.JAVA_INT, 0) != Integer.parseInt(own);
    } catch (Throwable e) {
      return false;
    }
  }

  /** Set up only if there is a terminal. */
  private static final class Calls {
    static final MethodHandle IOCTL = ioctl();

    private Calls() {}

    @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
    private static MethodHandle ioctl() {
      return Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("ioctl"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.ADDRESS),
              Linker.Option.firstVariadicArg(2));
    }
  }
}
