package org.fmi.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class VerbsProviderTest {
  @Test
  void withoutANameItIsTheNativeOne() throws IOException {
    assertThat(VerbsProvider.named(null).name()).isEqualTo("native");
    assertThat(VerbsProvider.named("").name()).isEqualTo("native");
    assertThat(VerbsProvider.named("native").name()).isEqualTo("native");
  }

  @Test
  void anUnknownNameIsRefusedAndTheValidOnesAreNamed() {
    assertThatThrownBy(() -> VerbsProvider.named("disny"))
        .isInstanceOf(IOException.class)
        .hasMessage("rdma: FMI_VERBS=disny: no such verbs provider; valid: native, disni");
  }

  @Test
  void aModuleThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> VerbsProvider.named("disni"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("fmi-verbs-disni, is not on the class path");
  }
}
