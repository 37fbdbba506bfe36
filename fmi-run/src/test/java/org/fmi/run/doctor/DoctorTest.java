package org.fmi.run.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.fmi.run.Transports;
import org.fmi.spi.Finding;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.junit.jupiter.api.Test;

class DoctorTest {
  private final List<Finding> findings = new ArrayList<>();

  private boolean examine(TransportProvider... transports) {
    return new Doctor(List.of(transports), findings::add).examine();
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
    public Transport open(RankConfig config, int epoch) throws IOException {
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
