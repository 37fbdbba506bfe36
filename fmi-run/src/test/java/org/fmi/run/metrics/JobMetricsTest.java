package org.fmi.run.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.fmi.control.Counter;
import org.fmi.control.MeterReading;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.fmi.run.docs.Markdown;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What Prometheus, and a receiver of OTLP, get of a job. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class JobMetricsTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

  private final List<String> said = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    client.close();
  }

  /** Two ranks, each on a node of its own, and a spare. */
  private JobMetrics served() throws IOException {
    JobMetrics metrics = new JobMetrics(spec(), "f00", ANY_PORT, null, said::add);
    open.add(metrics::close);
    return metrics;
  }

  private static JobSpec spec() {
    return new JobSpec(
        2,
        new JobSpec.Room(
            List.of(
                new JobSpec.Node("a", 1, false),
                new JobSpec.Node("b", 1, false),
                new JobSpec.Node("c", 1, true)),
            1,
            JobSpec.OnNoSpare.SHARE),
        new JobSpec.Grouping(16, 1),
        JobSpec.Recovery.ofAll(1000),
        List.of());
  }

  private HttpResponse<String> get(URI address, String method)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static URI address(JobMetrics metrics) {
    return Objects.requireNonNull(metrics.address());
  }

  private String scrape(JobMetrics metrics) throws IOException, InterruptedException {
    HttpResponse<String> response = get(address(metrics), "GET");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    return response.body();
  }

  private static FromDaemon.Reports shown(
      int rank, int incarnation, Map<Counter, Long> counters, List<MeterReading> meters) {
    RankReport report = new RankReport(0, "loop", 0, 17, 100, null, counters, meters);
    return new FromDaemon.Reports(List.of(new FromDaemon.Report(rank, incarnation, 4711, report)));
  }

  private static FromDaemon.Reports shown(int rank, int incarnation, Map<Counter, Long> counters) {
    return shown(rank, incarnation, counters, List.of());
  }

  @Test
  void halfARequestBlocksNobodyAndEnds() throws Exception {
    JobMetrics metrics = served();
    URI address = address(metrics);
    List<Socket> halves = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Socket half = new Socket(address.getHost(), address.getPort());
      open.add(half);
      halves.add(half);
      half.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
    }
    assertThat(scrape(metrics)).contains("fmi_ranks");
    for (Socket half : halves) {
      half.setSoTimeout(20_000);
      assertThat(half.getInputStream().read()).as("the server's answer").isEqualTo(-1);
    }
  }

  @Test
  void eachRankHasItsNumbers() throws Exception {
    JobMetrics metrics = served();
    metrics.spawned(1, 0);
    metrics.reported(
        shown(
            1,
            0,
            Map.of(
                Counter.MESSAGES_SENT, 5L,
                Counter.WAIT_NANOS, 2_500_000_000L,
                Counter.HEAP_USED_BYTES, 64L)));
    assertThat(scrape(metrics).lines())
        .contains(
            "fmi_messages_sent_total{job=\"f00\",rank=\"1\"} 5.0",
            "fmi_messages_sent_total{job=\"f00\",rank=\"0\"} 0.0",
            "fmi_wait_seconds_total{job=\"f00\",rank=\"1\"} 2.5",
            "fmi_heap_used_bytes{job=\"f00\",rank=\"1\"} 64.0",
            "fmi_heap_used_bytes{job=\"f00\",rank=\"0\"} NaN",
            "fmi_iteration{job=\"f00\",rank=\"1\"} 17.0",
            "fmi_iteration{job=\"f00\",rank=\"0\"} NaN");
  }

  /** A scraper would take a count that falls for a restart of all, and add it once more. */
  @Test
  void aCountIsKeptWhenAnotherProcessTakesTheRank() throws Exception {
    JobMetrics metrics = served();
    metrics.spawned(0, 0);
    metrics.reported(shown(0, 0, Map.of(Counter.MESSAGES_SENT, 5L, Counter.UNEXPECTED_BYTES, 7L)));
    metrics.spawned(0, 1);
    assertThat(scrape(metrics).lines())
        .contains(
            "fmi_messages_sent_total{job=\"f00\",rank=\"0\"} 5.0",
            "fmi_unexpected_bytes{job=\"f00\",rank=\"0\"} NaN",
            "fmi_heartbeat_age_seconds{job=\"f00\",rank=\"0\"} NaN",
            "fmi_respawns_total{job=\"f00\",rank=\"0\"} 1.0");
    metrics.reported(shown(0, 0, Map.of(Counter.MESSAGES_SENT, 6L))); // late
    metrics.reported(shown(0, 1, Map.of(Counter.MESSAGES_SENT, 3L)));
    metrics.spawned(0, 2);
    metrics.reported(shown(0, 2, Map.of(Counter.MESSAGES_SENT, 1L)));
    assertThat(scrape(metrics).lines())
        .contains("fmi_messages_sent_total{job=\"f00\",rank=\"0\"} 9.0");
  }

  private static FromDaemon.Reports shown(int rank, int incarnation, MeterReading... meters) {
    return shown(rank, incarnation, Map.of(), List.of(meters));
  }

  private static MeterReading tasks(String kind, double count) {
    return new MeterReading(
        "farm.tasks", "COUNTER", "", "done", Map.of("kind", kind), Map.of("COUNT", count));
  }

  @Test
  void metersOfTheProgramHaveTheirRank() throws Exception {
    JobMetrics metrics = served();
    metrics.spawned(0, 0);
    metrics.spawned(1, 0);
    MeterReading depth = new MeterReading("depth", "GAUGE", "", "", Map.of(), Map.of("VALUE", 7.0));
    metrics.reported(shown(0, 0, tasks("large", 3), tasks("small", 5), depth));
    metrics.reported(shown(1, 0, tasks("large", 4)));
    assertThat(scrape(metrics).lines())
        .contains(
            "# HELP farm_tasks_total done",
            "farm_tasks_total{job=\"f00\",kind=\"large\",rank=\"0\"} 3.0",
            "farm_tasks_total{job=\"f00\",kind=\"small\",rank=\"0\"} 5.0",
            "farm_tasks_total{job=\"f00\",kind=\"large\",rank=\"1\"} 4.0",
            "depth{job=\"f00\",rank=\"0\"} 7.0");
    // What counts goes on in another process.
    metrics.spawned(0, 1);
    metrics.reported(shown(0, 0, tasks("large", 100))); // late
    assertThat(scrape(metrics).lines())
        .contains(
            "farm_tasks_total{job=\"f00\",kind=\"large\",rank=\"0\"} 3.0",
            "depth{job=\"f00\",rank=\"0\"} NaN");
    metrics.reported(shown(0, 1, tasks("large", 2)));
    assertThat(scrape(metrics).lines())
        .contains("farm_tasks_total{job=\"f00\",kind=\"large\",rank=\"0\"} 5.0");
  }

  @Test
  void aTimerOfTheProgramIsOne() throws Exception {
    JobMetrics metrics = served();
    metrics.spawned(0, 0);
    metrics.reported(
        shown(
            0,
            0,
            new MeterReading(
                "step",
                "TIMER",
                "seconds",
                "",
                Map.of(),
                Map.of("COUNT", 4.0, "TOTAL_TIME", 2.5, "MAX", 1.5))));
    assertThat(scrape(metrics).lines())
        .contains(
            "step_seconds_count{job=\"f00\",rank=\"0\"} 4",
            "step_seconds_sum{job=\"f00\",rank=\"0\"} 2.5",
            "step_max_seconds{job=\"f00\",rank=\"0\"} 1.5");
  }

  @Test
  void recoveriesAreCountedByStage() throws Exception {
    JobMetrics metrics = served();
    for (int node = 0; node < 3; node++) {
      metrics.nodeUp(node);
    }
    metrics.on(new Notice.AllJoined(0));
    metrics.on(new Notice.AllConnected(0, "tcp"));
    metrics.on(new Notice.AllRunning(0, -1, -1, 0));
    metrics.on(new Notice.CheckpointCommitted(0, 0, 0, 0, 100, 100, 1_000_000, 2_000_000, 500_000));
    assertThat(scrape(metrics).lines())
        .contains(
            "fmi_nodes_up{job=\"f00\"} 3.0",
            "fmi_recovery_seconds_count{job=\"f00\",stage=\"join\"} 0",
            "fmi_checkpoint_stage_seconds_count{job=\"f00\",stage=\"encode\"} 1",
            "fmi_checkpoint_stage_seconds_sum{job=\"f00\",stage=\"encode\"} 0.002");
    metrics.on(new Notice.NodeFailed(0, 1, "b", "daemon", "gone"));
    metrics.on(new Notice.RecoveryBegun(1, false, "node 1"));
    metrics.on(new Notice.AllJoined(1));
    assertThat(scrape(metrics).lines())
        .contains(
            "fmi_nodes_up{job=\"f00\"} 2.0",
            "fmi_recoveries_total{job=\"f00\"} 1.0",
            "fmi_recovering{job=\"f00\"} 1.0",
            "fmi_epoch{job=\"f00\"} 1.0",
            "fmi_recovery_seconds_count{job=\"f00\",stage=\"join\"} 1",
            "fmi_recovery_seconds_count{job=\"f00\",stage=\"connect\"} 0");
    metrics.on(new Notice.AllConnected(1, "tcp"));
    metrics.on(new Notice.AllRunning(1, 0, 0, 1));
    assertThat(scrape(metrics).lines())
        .contains(
            "fmi_recovering{job=\"f00\"} 0.0",
            "fmi_recovery_seconds_count{job=\"f00\",stage=\"restore\"} 1");
  }

  @Test
  void recoveriesAreCountedByWhoGoesBack() throws Exception {
    JobMetrics metrics = served();
    metrics.on(new Notice.AllRunning(0, -1, -1, 0));
    metrics.on(new Notice.RecoveryBegun(1, false, "rank 0"));
    metrics.on(new Notice.RollbackDecided(1, "[0]", ""));
    metrics.on(new Notice.AllRunning(1, 0, 10, 0));
    metrics.on(new Notice.RecoveryBegun(2, false, "rank 0"));
    metrics.on(new Notice.AllRunning(2, 0, 10, 0));
    metrics.on(new Notice.RecoveryBegun(3, false, "rank 0"));
    metrics.on(new Notice.FlowBegun(3, 0, 10, 12, "[0]", "[]", 2, "[0: 2]"));
    metrics.on(new Notice.LoopDone(3, 0, 0, 20, 5, 0, 0));
    metrics.on(new Notice.LoopDone(3, 0, 1, 20, 2, 0, 0));
    assertThat(scrape(metrics).lines())
        .contains(
            "fmi_rollbacks_total{job=\"f00\",scope=\"local\"} 1.0",
            "fmi_rollbacks_total{job=\"f00\",scope=\"global\"} 1.0",
            "fmi_rollbacks_total{job=\"f00\",scope=\"flow\"} 0.0",
            "fmi_iterations_repeated_total{job=\"f00\",rank=\"0\"} 7.0");
  }

  @Test
  void aRecoveryThatTurnsIntoARestartIsOne() throws Exception {
    JobMetrics metrics = served();
    metrics.on(new Notice.RecoveryBegun(1, false, "rank 0"));
    metrics.on(new Notice.RecoveryBegun(1, true, "no checkpoint yet"));
    assertThat(scrape(metrics).lines()).contains("fmi_recoveries_total{job=\"f00\"} 1.0");
    metrics.on(new Notice.RecoveryBegun(2, false, "rank 1"));
    assertThat(scrape(metrics).lines()).contains("fmi_recoveries_total{job=\"f00\"} 2.0");
  }

  /** The table of docs/metrics.md has a row per metric that is served, and no other. */
  @Test
  void theDocumentNamesEachMetricItsTypeItsLabelsAndItsMeaning() throws Exception {
    Map<String, List<String>> served = new TreeMap<>();
    String type = "";
    String meaning = "";
    String name = "";
    for (String line : scrape(served()).lines().toList()) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        meaning = words[3];
      } else if (line.startsWith("# TYPE ")) {
        name = words[2];
        type = words[3];
      } else {
        String labels =
            LABEL.matcher(line).results().map(m -> m.group(1)).collect(Collectors.joining(", "));
        served.put(name, List.of(type, labels, meaning));
      }
    }
    Map<String, List<String>> documented = new TreeMap<>();
    for (List<String> row :
        Markdown.of("docs/metrics.md").table("metric", "type", "labels", "meaning")) {
      documented.put(
          Markdown.code(row.get(0)).getFirst(),
          List.of(row.get(1), String.join(", ", Markdown.code(row.get(2))), row.get(3)));
    }
    assertThat(documented).isEqualTo(served);
  }

  @Test
  void onlyMetricsAreServedAndOnlyRead() throws Exception {
    URI address = address(served());
    assertThat(get(address.resolve("/"), "GET").statusCode()).isEqualTo(404);
    assertThat(get(address, "POST").statusCode()).isEqualTo(405);
  }

  @Test
  void aPortThatIsTakenIsRefused() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = (InetSocketAddress) taken.getLocalSocketAddress();
      assertThatThrownBy(() -> new JobMetrics(spec(), "f00", address, null, said::add))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use");
    }
  }

  /** The last numbers come when the job ends, however short it was. */
  @Test
  void numbersArePushedAtTheEnd() throws Exception {
    BlockingQueue<byte[]> received = new ArrayBlockingQueue<>(10);
    HttpServer receiver = HttpServer.create(ANY_PORT, 0);
    receiver.createContext(
        "/v1/metrics",
        exchange -> {
          try (exchange) {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
          }
        });
    receiver.start();
    open.add(() -> receiver.stop(0));
    URI to = URI.create("http://localhost:" + receiver.getAddress().getPort() + "/v1/metrics");
    JobMetrics metrics = new JobMetrics(spec(), "f00", null, to, said::add);
    assertThat(metrics.address()).isNull();
    metrics.spawned(0, 0);
    metrics.reported(shown(0, 0, Map.of(Counter.MESSAGES_SENT, 5L)));
    metrics.close();
    byte[] pushed = received.poll(30, TimeUnit.SECONDS);
    assertThat(new String(Objects.requireNonNull(pushed), StandardCharsets.ISO_8859_1))
        .contains("fmi.messages.sent", "fmi.recovery", "service.instance.id", "f00");
    assertThat(said).isEmpty();
  }

  @Test
  void ofAReceiverThatIsAwayTheUserIsToldOnce() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    URI to = URI.create("http://localhost:" + port + "/v1/metrics");
    new JobMetrics(spec(), "f00", null, to, said::add).close();
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("fmi: --metrics-otlp " + to + ": does not accept metrics (")
        .endsWith("; the job continues, and retries every 10 s");
  }
}
