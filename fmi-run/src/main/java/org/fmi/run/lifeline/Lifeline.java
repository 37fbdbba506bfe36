package org.fmi.run.lifeline;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.fmi.node.PrivateFile;

/**
 * A lock in a file that a process holds as long as it lives, and for which another process waits.
 * When a process dies, the system releases the lock first; it reports the exit and closes the
 * connections only after clearing all memory of the process, which takes half a second for 4 GiB.
 *
 * <pre>
 *   rank                                       daemon
 *     | make, hold: lifeline-PID, locked          |
 *     | ----------------------------------------> | adopt: mapped, file deleted
 *     |                                           | died: waits for the lock
 *     | end: "exits by itself"                    |   false
 *     X killed                                    |   true
 * </pre>
 *
 * The lock is a robust mutex of POSIX (pthread_mutexattr_setrobust).
 */
public final class Lifeline {
  private static final long BYTES = 128;

  /** Offset, after the mutex, of the flag that the process ends by itself. */
  private static final long ENDS = 64;

  private final MemorySegment memory;

  private Lifeline(MemorySegment memory) {
    this.memory = memory;
  }

  private static Path file(Path nodeDirectory, long pid) {
    return nodeDirectory.resolve("lifeline-" + pid);
  }

  /**
   * Makes the lifeline of this process.
   *
   * @param nodeDirectory directory in which the daemon looks for it
   */
  public static Lifeline make(Path nodeDirectory) throws IOException {
    Path file = file(nodeDirectory, ProcessHandle.current().pid());
    return new Lifeline(PrivateFile.create(file, BYTES, Arena.global()));
  }

  /**
   * Holds it until the process ends, on a dedicated thread.
   *
   * @param held run by that thread when another process may adopt it
   */
  public void hold(Runnable held) {
    Thread.ofPlatform()
        .daemon()
        .name("fmi-lifeline")
        .start(
            () -> {
              RobustMutex.make(memory);
              RobustMutex.lock(memory);
              held.run();
              while (true) {
                LockSupport.park();
              }
            });
  }

  /** Marks that the process ends by itself: its end is not a failure to report at once. */
  public void end() {
    ValueLayout.JAVA_BYTE.varHandle().setRelease(memory, ENDS, (byte) 1);
  }

  /** Adopts the lifeline of another process. */
  public static Lifeline adopt(Path nodeDirectory, long pid) throws IOException {
    Path file = file(nodeDirectory, pid);
    MemorySegment memory = PrivateFile.open(file, Arena.ofAuto());
    Files.delete(file);
    return new Lifeline(memory);
  }

  /**
   * Waits for the end of the process that holds it.
   *
   * @return whether it was killed, by a signal or by a fault of its own
   */
  public boolean died() {
    return RobustMutex.lock(memory)
        && (byte) ValueLayout.JAVA_BYTE.varHandle().getAcquire(memory, ENDS) == 0;
  }
}
