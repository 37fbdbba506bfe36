package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a real job serves. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class MetricsIT {
  private static final Pattern ADDRESS = Pattern.compile("fmi: metrics at (http://\\S+)");
  private static final Pattern SENT =
      Pattern.compile("fmi_messages_sent_total\\{job=\"\\w+\",rank=\"(\\d)\"\\} [1-9]");
  private static final Pattern ROUNDS =
      Pattern.compile("program_rounds_total\\{job=\"\\w+\",rank=\"(\\d)\"\\} [1-9]");

  @TempDir private Path directory;

  private static String scrape(URI address) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  @Test
  void allRanksAreServedAfterANodeIsLostToo() throws Exception {
    try (Fmirun.Running job =
        new Fmirun(
                directory,
                "-n",
                "4",
                "--ppn",
                "2",
                "--spares",
                "1",
                "--interval",
                "10",
                "--kill",
                "node1@20",
                "--metrics-port",
                "0",
                "-cp",
                "target/test-classes",
                MeteredProgram.class.getName())
            .start()) {
      job.awaitEvent("AllRunning", 2);
      Matcher address = ADDRESS.matcher(job.err());
      assertThat(address.find()).as(job.err()).isTrue();
      URI served = URI.create(address.group(1));
      String text = scrape(served);
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while ((SENT.matcher(text).results().count() < 4
              || ROUNDS.matcher(text).results().count() < 4)
          && System.nanoTime() < limit) {
        Thread.sleep(50); // ranks show themselves once a second
        text = scrape(served);
      }
      assertThat(SENT.matcher(text).results().map(m -> m.group(1)))
          .as(text)
          .containsExactlyInAnyOrder("0", "1", "2", "3");
      assertThat(ROUNDS.matcher(text).results().map(m -> m.group(1)))
          .as(text)
          .containsExactlyInAnyOrder("0", "1", "2", "3");
      assertThat(text)
          .containsPattern(
              "program_step_seconds_sum\\{job=\"\\w+\",of=\"ring\",rank=\"3\"\\} [0-9.]*[1-9]")
          .containsPattern("fmi_nodes\\{job=\"\\w+\"\\} 3\\.0")
          .containsPattern("fmi_nodes_up\\{job=\"\\w+\"\\} 2\\.0")
          .containsPattern("fmi_recovery_seconds_count\\{job=\"\\w+\",stage=\"restore\"\\} 1")
          .containsPattern("fmi_respawns_total\\{job=\"\\w+\",rank=\"3\"\\} 1\\.0")
          .containsPattern("fmi_checkpoint_memory_bytes\\{job=\"\\w+\",rank=\"0\"\\} [1-9]")
          .containsPattern("fmi_node_memory_free_bytes\\{job=\"\\w+\",rank=\"0\"\\} [1-9]");
      job.process().destroy();
      assertThat(job.await().status()).isEqualTo(143);
    }
  }

  @Test
  void aPortThatIsTakenIsRefusedBeforeTheJobStarts() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Fmirun.Result result =
          new Fmirun(
                  directory,
                  "-n",
                  "1",
                  "--metrics-port",
                  Integer.toString(taken.getLocalPort()),
                  Fmirun.example("hello"))
              .run();
      assertThat(result.status()).isEqualTo(64);
      assertThat(result.err())
          .startsWith("fmirun: --metrics-port: cannot listen at ")
          .endsWith("; choose another port, or 0 for any free port\n");
      assertThat(result.out()).isEmpty();
    }
  }

  @Test
  void aJobDoesNotDependOnWhoeverReceivesItsMetrics() throws Exception {
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    Fmirun.Result result =
        new Fmirun(
                directory,
                "-n",
                "2",
                "--metrics-otlp",
                "http://localhost:" + port + "/v1/metrics",
                Fmirun.example("hello"))
            .run()
            .succeeded();
    assertThat(result.err().lines().filter(line -> line.contains("--metrics-otlp"))).hasSize(1);
    assertThat(result.err()).doesNotContain("Exception\n").doesNotContain("WARN");
  }
}
