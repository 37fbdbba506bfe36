package org.fmi.run.shell;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.fmi.run.process.Terminal;

/**
 * Gives standard input to rank 0 once it reads, and again to each later process of rank 0, which
 * runs the program from its start. Unread input is left to other processes, such as the rest of a
 * script. Belongs to the shell's loop, except for the thread that reads.
 */
final class InputFeed {
  /** Bytes kept for later processes. */
  static final long KEPT = 64 << 20;

  /** Maximum bytes sent to the process that it has not taken. */
  private static final int WINDOW = 128 << 10;

  private static final int CHUNK = 32 << 10;

  /** The connection to the daemon of rank 0. */
  interface Way {
    /** Sends input; empty bytes are the end of it. */
    void send(int incarnation, byte[] bytes);
  }

  private final InputStream in;

  /** The shell's thread. */
  private final Executor loop;

  /** Takes notices for the user. */
  private final Consumer<String> say;

  private final Way way;

  /** All input from the start, unless some was discarded. */
  private final List<byte[]> chunks = new ArrayList<>();

  private long keptBytes;
  private boolean thrownAway;
  private boolean ended;
  private boolean started;

  /** The process of rank 0, and the chunks that were sent to it. */
  private int incarnation = -1;

  /** Whether this process reads. */
  private boolean wanted;

  private int next;
  private int outstanding;

  /** The reading thread waits here before it continues. */
  private final Object room = new Object();

  private boolean reading = true;

  /**
   * @param in read at the pace of rank 0, from its first read on; not closed
   */
  InputFeed(InputStream in, Executor loop, Consumer<String> say, Way way) {
    this.in = in;
    this.loop = loop;
    this.say = say;
    this.way = way;
  }

  /**
   * Notes a new process of rank 0.
   *
   * @return false if it cannot get the input again
   */
  boolean restart(int newIncarnation) {
    incarnation = newIncarnation;
    wanted = false;
    if (thrownAway) {
      return false;
    }
    next = 0;
    outstanding = 0;
    return true;
  }

  /** Notes that the process reads. */
  void wanted(int byIncarnation) {
    if (byIncarnation != incarnation || wanted) {
      return;
    }
    wanted = true;
    if (!started) {
      started = true;
      Thread.ofPlatform().daemon().name("fmi-stdin").start(this::read);
    }
    push();
  }

  /** Notes that the process has taken some input. */
  void taken(int byIncarnation, int bytes) {
    if (byIncarnation == incarnation) {
      outstanding -= bytes;
      push();
    }
  }

  private void push() {
    if (!wanted) {
      return;
    }
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
        int count = readSome(buffer);
        more = count > 0;
        byte[] chunk = more ? Arrays.copyOf(buffer, count) : new byte[0];
        loop.execute(() -> arrived(chunk));
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
      say.accept(
          "fmirun: standard input cannot be read"
              + (Terminal.isOthers(Terminal.IN)
                  ? " because fmirun runs in the background of its terminal; rank 0 reads end of"
                      + " file. Redirect standard input from a file or /dev/null"
                  : " (" + e.getMessage() + "); rank 0 reads end of file"));
      return -1;
    }
  }
}
