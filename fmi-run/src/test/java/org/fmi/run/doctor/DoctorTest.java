package org.fmi.run.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.job.control.CoreList;
import org.fmi.run.Transports;
import org.fmi.run.daemon.UsableCores;
import org.fmi.run.process.Affinity;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Finding;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.junit.jupiter.api.Test;

class DoctorTest {
  private final List<Finding> findings = new ArrayList<>();

  private boolean examine(TransportProvider... transports) {
    return new Doctor(List.of(transports), null, findings::add).examine();
  }

  /** A transport that can never be opened. */
  private record Broken(boolean present) implements TransportProvider {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public int order() {
      return 1;
    }

    @Override
    public List<Finding> diagnose() {
      return List.of(Finding.missing("broken: no wire; buy one"));
    }

    @Override
    public Transport open(RankConfig config, int epoch, Diagnostics diagnostics)
        throws IOException {
      throw new IOException("no wire; buy one");
    }
  }

  @Test
  void framesTravelOverAllThatIsThere() {
    for (TransportProvider transport : Transports.find()) {
      findings.clear();
      assertThat(examine(transport)).as("%s", findings).isTrue();
      assertThat(findings.stream().map(Finding::toString).filter(line -> line.contains("loopback")))
          .as("%s", findings)
          .hasSize(transport.present() ? 1 : 0)
          .allMatch(
              line ->
                  line.matches(
                      "ok +" + transport.name() + " loopback: half a round trip takes [0-9.]+ us"));
    }
  }

  private static String binding(String cores, int whole) {
    return Doctor.binding(
        new UsableCores(Stream.of(cores.split(" ", -1)).map(CoreList::parse).toList(), whole));
  }

  @Test
  void tellsWhatRanksWouldBeBoundTo() {
    int[] before = Affinity.ofCaller();
    examine();
    assertThat(findings)
        .extracting(Finding::toString)
        .anyMatch(line -> line.matches("ok +binding: [0-9]+ cores? \\(hardware threads .*"));
    assertThat(Affinity.ofCaller()).isEqualTo(before);
    assertThat(binding("0 1", 2))
        .isEqualTo(
            "binding: 2 cores (hardware threads 0-1): up to 1 rank with two or more cores each;"
                + " with 2 ranks each thread that calls Fmi.init has a dedicated core;"
                + " more ranks are not bound");
    assertThat(binding("0,4 1,5 2,6 3,7", 8))
        .isEqualTo(
            "binding: 4 cores (hardware threads 0-7): up to 2 ranks with two or more cores each;"
                + " with 3 to 8 ranks each thread that calls Fmi.init has a dedicated core;"
                + " more ranks are not bound");
    assertThat(binding("3", 1))
        .isEqualTo(
            "binding: 1 core (hardware threads 3): with 1 rank each thread that calls Fmi.init has"
                + " a dedicated core; more ranks are not bound");
    assertThat(binding("0 1 2 3", 0)).endsWith("0-3): no rank is bound");
  }

  @Test
  void aLoadThatLeavesNoCoreIsSomethingThatIsMissing() {
    assertThat(Doctor.load(0.04, 2)).isEqualTo(Finding.ok("load: 0.0 on 2 cores"));
    assertThat(Doctor.load(63, 64).kind()).isEqualTo(Finding.Kind.OK);
    assertThat(Doctor.load(149, 2))
        .isEqualTo(
            Finding.missing(
                "load: 149.0 on 2 cores in the last minute: ranks would wait for other work on this"
                    + " machine; find that work (top), or use another host"));
    assertThat(Doctor.load(-1, 2).kind()).isEqualTo(Finding.Kind.MISSING);
  }

  @Test
  void whatOnlyThoseNeedWhoAskForItIsNotMissing() {
    Path nowhere = Path.of("no such directory");
    assertThat(Doctor.energy(nowhere).kind()).isEqualTo(Finding.Kind.UNUSED);
    assertThat(Doctor.idleFrequency(nowhere).kind()).isEqualTo(Finding.Kind.UNUSED);
  }

  @Test
  void whatIsNotThereIsMissingAndNoFailure() {
    assertThat(examine(new Broken(false))).isTrue();
    assertThat(findings)
        .contains(Finding.missing("broken: no wire; buy one"))
        .noneMatch(finding -> finding.kind() == Finding.Kind.FAILED);
  }

  @Test
  void whatIsThereAndDoesNotWorkFails() {
    assertThat(examine(new Broken(true))).isFalse();
    assertThat(findings).endsWith(Finding.failed("broken loopback: no wire; buy one"));
  }
}
