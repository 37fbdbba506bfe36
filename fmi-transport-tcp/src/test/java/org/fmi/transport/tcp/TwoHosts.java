package org.fmi.transport.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Two hosts on one machine: each is a thread in its own network namespace, and a cable joins them
 * that can be cut in silence. Sockets belong to the namespace of the thread that creates them.
 */
final class TwoHosts implements AutoCloseable {
  private static final int CLONE_NEWNET = 0x40000000;
  private static final String ESTABLISHED = "01";
  private static final String NOBODY = "02:00:00:00:00:09";

  private final List<ExecutorService> threads =
      List.of(Executors.newSingleThreadExecutor(), Executors.newSingleThreadExecutor());

  /** Skips the test if this user may not create namespaces. */
  TwoHosts() throws Exception {
    boolean allowed = on(0, TwoHosts::unshare).get() && on(1, TwoHosts::unshare).get();
    if (!allowed) {
      close();
    }
    Assumptions.assumeTrue(allowed, "no right to make network namespaces");
    String other =
        on(1, () -> Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString())
            .get();
    ip(
        0,
        "link add cable0 address %s type veth peer name cable1 address %s netns %s"
            .formatted(mac(0), mac(1), other));
    for (int host = 0; host < 2; host++) {
      ip(host, "address add %s/24 dev cable%d".formatted(address(host), host));
      ip(host, "link set cable%d up".formatted(host));
    }
    mend();
  }

  @SuppressWarnings("restricted") // calls the system
  private static boolean unshare() {
    MethodHandle unshare =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("unshare"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    try {
      return (int) unshare.invokeExact(CLONE_NEWNET) == 0;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static String mac(int host) {
    return "02:00:00:00:00:0" + (host + 1);
  }

  static String address(int host) {
    return "10.77.0." + (host + 1);
  }

  <T> Future<T> on(int host, Callable<T> body) {
    return threads.get(host).submit(body);
  }

  /** Drops all packets that this host sends, silently. Called on the host. */
  static void cut(int host) throws IOException, InterruptedException {
    neighbour(host, NOBODY);
  }

  /** Whether all data that this host sent over TCP is acknowledged. Called on the host. */
  static boolean nothingInFlight() {
    return nothingInFlight("tcp") && nothingInFlight("tcp6"); // Java's own sockets use it
  }

  private static boolean nothingInFlight(String protocol) {
    try (Stream<String> sockets = Files.lines(Path.of("/proc/thread-self/net", protocol))) {
      return sockets // sl, local, remote, state, tx_queue:rx_queue
          .map(line -> line.strip().split("\\s+", -1))
          .filter(fields -> fields[3].equals(ESTABLISHED))
          .allMatch(fields -> fields[4].startsWith("00000000:"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the cut at both hosts, which must be idle. */
  private void mend() throws Exception {
    for (int host = 0; host < 2; host++) {
      int at = host;
      on(
              host,
              () -> {
                mend(at);
                return null;
              })
          .get();
    }
  }

  /** Ends a cut. Called on the host. */
  static void mend(int host) throws IOException, InterruptedException {
    neighbour(host, mac(1 - host));
  }

  private static void neighbour(int host, String mac) throws IOException, InterruptedException {
    ip(
        "neighbour replace %s lladdr %s nud permanent dev cable%d"
            .formatted(address(1 - host), mac, host));
  }

  private void ip(int host, String arguments) throws Exception {
    on(
            host,
            () -> {
              ip(arguments);
              return null;
            })
        .get();
  }

  /** A process is in the namespace of the thread that starts it. */
  private static void ip(String arguments) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(("ip " + arguments).split(" ", -1)).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("ip " + arguments + ": " + said);
    }
  }

  /** Interrupts the tasks still running on the hosts, and waits for them. */
  @Override
  public void close() {
    threads.forEach(ExecutorService::shutdownNow);
    threads.forEach(ExecutorService::close);
  }
}
