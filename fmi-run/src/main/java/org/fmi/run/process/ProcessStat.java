package org.fmi.run.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.rules.TimeWithCore;

/** The state of a process at one moment: proc_pid_stat(5). */
public final class ProcessStat {
  /** The first field after the name, which may itself contain anything. */
  private static final int STATE = 3;

  private static final int FLAGS = 9;
  private static final int USER_TICKS = 14;
  private static final int SYSTEM_TICKS = 15;

  /** The system's clock tick for programs (USER_HZ), the same on all machines of FMI. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** Returned instead of a number of ticks. */
  static final long NO_PROCESS = -1;

  /** The flag of a task that has begun to exit, PF_EXITING. */
  private static final int EXITING = 4;

  /** The signals pending for a process's first thread, as a mask in hexadecimal. */
  private static final String PENDING = "SigPnd:";

  /** Its memory, in KiB. */
  private static final String RESIDENT = "VmRSS:";

  private static final int PENDING_SIGKILL = 1 << (9 - 1);

  private final String[] fromState;

  private ProcessStat(String[] fromState) {
    this.fromState = fromState;
  }

  /**
   * Reads it.
   *
   * @param process its directory in /proc
   * @throws IOException if there is no such process
   */
  public static ProcessStat of(Path process) throws IOException {
    String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
    return new ProcessStat(stat.substring(stat.lastIndexOf(')') + 2).strip().split(" ", -1));
  }

  /**
   * Whether a process has begun to die: of a signal, which the system has then sent to all its
   * threads, or by itself.
   */
  public static boolean isDying(long pid) {
    Path process = Path.of("/proc/" + pid);
    try {
      // In this order: a thread takes the signal, and begins to exit.
      boolean killed =
          Files.readAllLines(process.resolve("status"), StandardCharsets.ISO_8859_1).stream()
              .filter(line -> line.startsWith(PENDING))
              .anyMatch(line -> (lastDigits(line) & PENDING_SIGKILL) != 0);
      return killed || (Integer.parseUnsignedInt(of(process).field(FLAGS)) & EXITING) != 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** Returns the memory that a process holds; 0 if there is no such process. */
  public static long residentBytes(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid, "status"), StandardCharsets.ISO_8859_1)
          .stream()
          .filter(line -> line.startsWith(RESIDENT))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Checks a process of this machine; {@link TimeWithCore.Look#UNSEEN} if there is none. */
  public static TimeWithCore.Look look(long pid) {
    long ticks = ticksUsed(pid);
    return ticks == NO_PROCESS
        ? TimeWithCore.Look.UNSEEN
        : new TimeWithCore.Look(wantsCore(pid), ticks * NANOS_PER_TICK);
  }

  /**
   * Returns the CPU time used by a process, in ticks of the system.
   *
   * @return {@link #NO_PROCESS} if there is none
   */
  static long ticksUsed(long pid) {
    try {
      ProcessStat stat = of(Path.of("/proc/" + pid));
      return Long.parseLong(stat.field(USER_TICKS)) + Long.parseLong(stat.field(SYSTEM_TICKS));
    } catch (IOException e) {
      return NO_PROCESS;
    }
  }

  /**
   * Whether one of its threads runs, or would run if it had a core. False for a stopped process.
   */
  static boolean wantsCore(long pid) {
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads) {
        if (isRunnable(thread)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException e) {
      return false;
    }
  }

  private static boolean isRunnable(Path thread) {
    try {
      return of(thread).field(STATE).equals("R");
    } catch (IOException e) {
      return false; // it has ended in the meantime
    }
  }

  private static long lastDigits(String line) {
    return Long.parseUnsignedLong(line.substring(PENDING.length()).strip(), 16);
  }

  /** Returns a field after the name, by its number in the manual: 3 is the state. */
  public String field(int number) {
    return fromState[number - STATE];
  }
}
