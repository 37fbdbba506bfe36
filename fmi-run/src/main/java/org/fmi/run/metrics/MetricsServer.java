package org.fmi.run.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Answers {@code GET /metrics} with all meters, in Prometheus' text format. A client that does not
 * complete its request, or does not read the answer, delays no other client, and is disconnected.
 */
final class MetricsServer {
  private static final String PATH = "/metrics";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;

  /** Settings of the JDK's server, which reads them once: time limits in seconds. */
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "5",
          "sun.net.httpserver.maxRspTime", "30",
          "jdk.httpserver.maxConnections", "256");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** One thread per request, because each waits for its client. */
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("fmi-metrics-", 0).factory());

  private final HttpServer server;

  /**
   * @throws IOException if the address cannot be used
   */
  MetricsServer(InetSocketAddress listenAt, MeterBinder meters) throws IOException {
    LIMITS.forEach((name, value) -> System.setProperty(name, System.getProperty(name, value)));
    server = HttpServer.create(listenAt, 0);
    meters.bindTo(registry);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  URI address() {
    InetSocketAddress bound = server.getAddress();
    String host = bound.getAddress().getHostAddress();
    return URI.create(
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + bound.getPort() + PATH);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        answer(exchange, NOT_FOUND, "metrics are at " + PATH + "\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        answer(exchange, NOT_ALLOWED, "");
      } else {
        answer(exchange, OK, registry.scrape(TEXT));
      }
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", TEXT);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  void close() {
    server.stop(0);
    threads.shutdownNow();
    registry.close();
  }
}
