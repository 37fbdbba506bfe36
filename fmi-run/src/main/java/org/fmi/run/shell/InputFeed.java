package org.fmi.run.shell;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.run.process.ProcessStat;

/**
 * Gives standard input to rank 0, and again to each later process of rank 0, which runs the program
 * from its start. It belongs to the shell's loop, except for the thread that reads.
 */
final class InputFeed {
  /** How much is kept for later processes, in bytes. */
  static final long KEPT = 64 << 20;

  /** How much the process may be given that it has not taken yet, in bytes. */
  private static final int WINDOW = 128 << 10;

  private static final int CHUNK = 32 << 10;

  // Fields of ProcessStat.
  private static final int GROUP = 5;
  private static final int TERMINAL = 7;
  private static final int FOREGROUND_GROUP = 8;

  /** The ways to the shell's thread and to the daemon of rank 0. */
  interface Way {
    void execute(Runnable task);

    /** Empty bytes are the end of the input. */
    void send(int incarnation, byte[] bytes);
  }

  private final Way way;
  private final InputStream in;

  /** All input from the start, unless some was thrown away. */
  private final List<byte[]> chunks = new ArrayList<>();

  private long keptBytes;
  private boolean thrownAway;
  private boolean ended;
  private boolean started;

  /** The process of rank 0, and how much of the chunks it was given. */
  private int incarnation = -1;

  private int next;
  private int outstanding;

  /** The thread that reads waits here before it reads on. */
  private final Object room = new Object();

  private boolean reading = true;

  /**
   * @param in read as fast as rank 0 takes it; not closed
   */
  InputFeed(InputStream in, Way way) {
    this.in = in;
    this.way = way;
  }

  /**
   * Rank 0 has a new process.
   *
   * @return false if it cannot get the input again
   */
  boolean restart(int newIncarnation) {
    incarnation = newIncarnation;
    if (thrownAway) {
      return false;
    }
    next = 0;
    outstanding = 0;
    if (!started) {
      started = true;
      Thread.ofPlatform().daemon().name("fmi-stdin").start(this::read);
    }
    push();
    return true;
  }

  /** The process has taken some input. */
  void taken(int byIncarnation, int bytes) {
    if (byIncarnation == incarnation) {
      outstanding -= bytes;
      push();
    }
  }

  private void push() {
    while (outstanding < WINDOW && next < chunks.size()) {
      byte[] chunk = chunks.get(next);
      way.send(incarnation, chunk);
      outstanding += chunk.length;
      if (thrownAway) {
        chunks.remove(next);
      } else {
        next++;
      }
      if (chunk.length == 0) {
        return;
      }
    }
    boolean more = !ended && outstanding < WINDOW;
    synchronized (room) {
      reading = more;
      room.notifyAll();
    }
  }

  private void arrived(byte[] chunk) {
    ended = chunk.length == 0;
    chunks.add(chunk);
    keptBytes += chunk.length;
    if (keptBytes > KEPT && !thrownAway) {
      thrownAway = true;
      chunks.subList(0, next).clear();
      next = 0;
    }
    push();
  }

  private void read() {
    byte[] buffer = new byte[CHUNK];
    try {
      boolean more = true;
      while (more) {
        awaitRoom();
        int count = isOthersTerminal() ? -1 : readSome(buffer);
        more = count > 0;
        byte[] chunk = more ? Arrays.copyOf(buffer, count) : new byte[0];
        way.execute(() -> arrived(chunk));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitRoom() throws InterruptedException {
    synchronized (room) {
      while (!reading) {
        room.wait();
      }
      reading = false;
    }
  }

  private int readSome(byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      // It was closed before fmirun started.
      return -1;
    }
  }

  /**
   * Whether the input is a terminal in whose background this process runs: reading from it would
   * stop it.
   */
  private static boolean isOthersTerminal() {
    try {
      long device = (long) Files.getAttribute(Path.of("/proc/self/fd/0"), "unix:rdev");
      ProcessStat self = ProcessStat.of(Path.of("/proc/self"));
      return device != 0
          && device == Long.parseLong(self.field(TERMINAL))
          && !self.field(GROUP).equals(self.field(FOREGROUND_GROUP));
    } catch (IOException e) {
      return false;
    }
  }
}
