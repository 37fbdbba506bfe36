package org.fmi.run.daemon;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Kills process groups, by kill(2). */
final class ProcessGroup {
  private static final int SIGKILL = 9;

  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  private static final MethodHandle KILL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private ProcessGroup() {}

  /** Gets ready to kill: the first call of the system takes a while to be set up. */
  static void prepare() {
    // By the initialisation of this class.
  }

  /** Kills all processes of the group; does nothing if there are none. */
  static void kill(long leader) {
    if (leader <= 1) {
      // kill(2) takes 0 for the caller's own group and -1 for everybody.
      throw new IllegalArgumentException("no process group of a rank: " + leader);
    }
    try {
      int _ = (int) KILL.invokeExact((int) -leader, SIGKILL);
    } catch (Throwable e) {
      throw new LinkageError("kill(2) cannot be called", e);
    }
  }
}
