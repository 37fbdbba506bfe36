package org.fmi.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.fmi.verbs.VerbsProvider;
import org.junit.jupiter.api.Test;

class DisniVerbsProviderTest {
  @Test
  void itIsFoundByItsName() throws IOException {
    assertThat(VerbsProvider.named("disni")).isInstanceOf(DisniVerbsProvider.class);
    assertThat(VerbsProvider.named("native")).isNotInstanceOf(DisniVerbsProvider.class);
  }

  @Test
  void withoutLibdisniItSaysSoAndTheWayOut() throws IOException {
    VerbsProvider provider = VerbsProvider.named("disni");
    assertThatThrownBy(provider::check)
        .isInstanceOf(IOException.class)
        .hasMessageMatching(
            "rdma: FMI_VERBS=disni: libdisni is not installed \\(no disni in java\\.library\\.path:"
                + " .*\\); build it from the sources of DiSNI 2\\.1 and put its directory into"
                + " LD_LIBRARY_PATH where ranks start, or unset FMI_VERBS");
    // The result is the same the second time, when the JVM has marked DiSNI's class as failed.
    assertThatThrownBy(provider::check).hasMessageContaining("libdisni is not installed");
  }
}
