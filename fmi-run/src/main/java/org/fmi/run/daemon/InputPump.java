package org.fmi.run.daemon;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import org.fmi.job.control.FromDaemon;

/** Feeds standard input to the process of rank 0. */
final class InputPump {
  /** The end of the input, or of the process. */
  static final byte[] END = {};

  private final OutputStream out;
  private final int incarnation;
  private final Uplink uplink;

  /** Bounded by fmirun, which limits input that has not been taken. */
  private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();

  InputPump(OutputStream out, int incarnation, Uplink uplink) {
    this.out = out;
    this.incarnation = incarnation;
    this.uplink = uplink;
  }

  /** Starts to feed the process. */
  void start(ThreadFactory threads) {
    threads.newThread(this::run).start();
  }

  /** Adds input; {@link #END}, or any empty array, at the end. */
  void add(byte[] bytes) {
    queue.add(bytes);
  }

  private void run() {
    try (out) {
      for (byte[] bytes = queue.take(); bytes.length > 0; bytes = queue.take()) {
        out.write(bytes);
        out.flush();
        uplink.send(new FromDaemon.InputTaken(incarnation, bytes.length));
      }
    } catch (IOException e) {
      // The process has ended or closed its input: it takes no more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
