package org.fmi.run.rank;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Makes this process the leader of a process group, by setpgid(2): its daemon kills the group, and
 * with it what the program has started. It stays in its daemon's session, for the system may
 * schedule sessions as units, and then a rank that yields gives its core to none of another session
 * (autogroup, sched(7)).
 */
final class OwnProcessGroup {
  private OwnProcessGroup() {}

  /**
   * Begins; a thread, as the first call of the system takes tens of milliseconds to be set up.
   *
   * @return alive until it is done
   */
  static Thread lead() {
    return Thread.ofPlatform().daemon().name("fmi-group").start(OwnProcessGroup::setpgid);
  }

  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  private static void setpgid() {
    // In the form in which the lifeline's functions are called: a form has to be learnt but once.
    MethodHandle setpgid =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("setpgid"),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    int result;
    try {
      result = (int) setpgid.invokeExact(0L, 0L);
    } catch (Throwable e) {
      throw new LinkageError("setpgid cannot be called", e);
    }
    if (result != 0) {
      System.err.println("fmi: this process leads no group: what it starts may outlive it");
    }
  }
}
