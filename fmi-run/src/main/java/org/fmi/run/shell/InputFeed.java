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
 * Gives standard input to rank 0 once that reads, and again to each later process of rank 0, which
 * runs the program from its start. What nobody asks for is left to others, such as the rest of a
 * script. It belongs to the shell's loop, except for the thread that reads.
 */
final class InputFeed {
  /** How much is kept for later processes, in bytes. */
  static final long KEPT = 64 << 20;

  /** How much the process may be given that it has not taken yet, in bytes. */
  private static final int WINDOW = 128 << 10;

  private static final int CHUNK = 32 << 10;

  /** The way to the daemon of rank 0. */
  interface Way {
    /** Empty bytes are the end of the input. */
    void send(int incarnation, byte[] bytes);
  }

  private final InputStream in;

  /** To the shell's thread. */
  private final Executor loop;

  /** Takes what the user should know. */
  private final Consumer<String> say;

  private final Way way;

  /** All input from the start, unless some was thrown away. */
  private final List<byte[]> chunks = new ArrayList<>();

  private long keptBytes;
  private boolean thrownAway;
  private boolean ended;
  private boolean started;

  /** The process of rank 0, and how much of the chunks it was given. */
  private int incarnation = -1;

  /** Whether this process reads. */
  private boolean wanted;

  private int next;
  private int outstanding;

  /** The thread that reads waits here before it reads on. */
  private final Object room = new Object();

  private boolean reading = true;

  /**
   * @param in read as fast as rank 0 takes it, from its first read on; not closed
   */
  InputFeed(InputStream in, Executor loop, Consumer<String> say, Way way) {
    this.in = in;
    this.loop = loop;
    this.say = say;
    this.way = way;
  }

  /**
   * Rank 0 has a new process.
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

  /** The process reads. */
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

  /** The process has taken some input. */
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
                  ? ", as fmirun is in the background of its terminal; rank 0 finds it at its end:"
                      + " give it a file, or /dev/null"
                  : " (" + e.getMessage() + "); rank 0 finds it at its end"));
      return -1;
    }
  }
}
