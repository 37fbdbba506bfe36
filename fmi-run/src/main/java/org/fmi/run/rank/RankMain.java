package org.fmi.run.rank;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.fmi.core.rank.RankRuntime;
import org.fmi.job.control.ToRank;
import org.fmi.node.SharedMemory;
import org.fmi.run.process.ProcessGroup;
import org.fmi.runtime.Seat;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a rank's process: connects to the node's daemon, waits for its rank, then runs
 * the program's main.
 *
 * <p>Usage: {@code RankMain main.Class [args...]}, with the daemon's socket in the environment.
 */
public final class RankMain {
  private static final int FAILED = 1;
  private static final int NO_LOOP = RankMessage.Failed.NO_LOOP;

  private RankMain() {}

  public static void main(String[] args) {
    String socket = System.getenv("FMI_DAEMON_SOCKET");
    if (socket == null || args.length == 0) {
      System.err.println("fmi: this class is started by fmirun's daemon; do not start it by hand");
      System.exit(FAILED);
      return;
    }
    Thread group = ProcessGroup.lead();
    DaemonLink link = DaemonLink.connect(Path.of(socket));
    Optional<Path> warmUp = link.warmUp().join();
    CompletableFuture<ToRank.Assign> assignment = link.assignment();
    if (warmUp.isPresent() && !assignment.isDone()) {
      WarmUp.begin(warmUp.get(), args[0]);
    }
    ToRank.Assign assigned = assignment.join();
    show(assigned);
    if (assigned.config().job().policy().checked()) {
      link.output(HideableOutput.install());
    }
    if (assigned.config().rank() == 0) {
      RankInput.install(link::readsInput);
      link.lookForReader(RankInput::isRead);
    }
    AtomicReference<RankRuntime> joined = new AtomicReference<>();
    Seat.offer(
        () -> {
          RankRuntime fmi = join(assigned, link);
          joined.set(fmi);
          return fmi;
        });
    await(group);
    int rank = assigned.config().rank();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> show(rank, thread, e));
    Throwable thrown = run(args[0], Arrays.copyOfRange(args, 1, args.length));
    RankRuntime fmi = joined.get();
    if (thrown != null) {
      System.out.flush();
      if (fmi != null) {
        fmi.fail(thrown);
      } else {
        link.send(RankMessage.Failed.of(NO_LOOP, NO_LOOP, thrown));
        link.flush();
      }
      System.exit(FAILED);
    } else if (fmi != null && fmi.isClosed()) {
      LeftThreads.end(rank);
    }
  }

  /** Makes the rank known to the program and its tools, without a call of the library. */
  private static void show(ToRank.Assign assigned) {
    RankConfig config = assigned.config();
    System.setProperty("fmi.job", config.jobId());
    System.setProperty("fmi.rank", Integer.toString(config.rank()));
    System.setProperty("fmi.size", Integer.toString(config.size()));
    System.setProperty("fmi.local.rank", Integer.toString(assigned.localRank()));
  }

  /** Prints an exception in one piece, so that output of other ranks does not interrupt it. */
  private static void show(int rank, Thread thread, Throwable thrown) {
    String trace = RankMessage.Failed.of(NO_LOOP, NO_LOOP, thrown).trace();
    byte[] text =
        ("Exception in thread \"" + thread.getName() + "\" of rank " + rank + " " + trace + "\n")
            .getBytes(Charset.defaultCharset());
    System.err.write(text, 0, text.length);
    System.err.flush();
  }

  private static RankRuntime join(ToRank.Assign assigned, JobLink link) throws IOException {
    RankConfig config = assigned.config();
    return Modules.find()
        .join(
            config,
            link,
            new SharedMemory(Path.of(config.pieceDirectory())),
            BoundThread.of(assigned.ownCore()));
  }

  private static void await(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("a starting process is not interrupted", e);
    }
  }

  /**
   * Runs the program.
   *
   * @return the exception it threw; null if it has returned
   */
  private static @Nullable Throwable run(String mainClass, String[] args) {
    try {
      Method main = mainOf(Class.forName(mainClass));
      main.setAccessible(true);
      Object target = null;
      if (!Modifier.isStatic(main.getModifiers())) {
        Constructor<?> constructor = main.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        target = constructor.newInstance();
      }
      invoke(main, target, args);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause() == null ? e : e.getCause();
    } catch (ReflectiveOperationException | LinkageError e) {
      return e;
    }
  }

  private static void invoke(Method main, @Nullable Object target, String[] args)
      throws ReflectiveOperationException {
    if (main.getParameterCount() == 0) {
      main.invoke(target);
    } else {
      main.invoke(target, (Object) args);
    }
  }

  /** Finds main like the java launcher (JLS 12.1.4): with arguments before without. */
  private static Method mainOf(Class<?> program) throws NoSuchMethodException {
    for (Class<?> parameter : new Class<?>[] {String[].class, void.class}) {
      for (Class<?> c = program; c != null; c = c.getSuperclass()) {
        try {
          return parameter == void.class
              ? c.getDeclaredMethod("main")
              : c.getDeclaredMethod("main", parameter);
        } catch (NoSuchMethodException e) {
          // Perhaps inherited, or of the other form.
        }
      }
    }
    throw new NoSuchMethodException("no main method in class " + program.getName());
  }
}
