package org.fmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.fmi.spi.RecoveryPolicy.Checked;
import org.fmi.spi.RecoveryPolicy.End;
import org.fmi.spi.RecoveryPolicy.Flow;
import org.fmi.spi.RecoveryPolicy.Global;
import org.fmi.spi.RecoveryPolicy.Local;
import org.fmi.spi.RecoveryPolicy.Log;
import org.fmi.spi.RecoveryPolicy.Shrink;
import org.junit.jupiter.api.Test;

final class RecoveryPolicyTest {
  private static final Log LOG = new Log.OfState();

  @Test
  void limitsAreAtLeastOne() {
    assertThatThrownBy(() -> new Flow(0, null, false)).hasMessageContaining("at least 1 rank");
    assertThatThrownBy(() -> new Log.OfBytes(0)).hasMessageContaining("at least 1 byte");
  }

  @Test
  void onlyRanksWithALogRollBackAlone() {
    assertThat(new Local(LOG, true, false).log()).isEqualTo(LOG);
    assertThat(new Flow(3, LOG, false).log()).isEqualTo(LOG);
    assertThat(new Flow(3, null, false).log()).isNull();
    assertThat(RecoveryPolicy.global().log()).isNull();
    assertThat(new Checked(false).log()).isNull();
  }

  @Test
  void allWaitForFilesAndWhereFlowsBegin() {
    assertThat(new Global(true, false).asynchronous()).isTrue();
    assertThat(new Global(true, true).asynchronous()).isFalse();
    assertThat(new Global(false, false).asynchronous()).isFalse();
    assertThat(new Flow(3, LOG, false).overlapped()).isFalse();
    assertThat(new Checked(false).overlapped()).isFalse();
  }

  @Test
  void noRankRollsBackWhereNoneIsReplaced() {
    assertThat(new Shrink().onFailure()).isEqualTo(OnFailure.SHRINK);
    assertThat(new End(true, false).onFailure()).isEqualTo(OnFailure.END);
    assertThat(RecoveryPolicy.global().onFailure()).isEqualTo(OnFailure.REPLACE);
    assertThat(new Flow(3, LOG, false).onFailure()).isEqualTo(OnFailure.REPLACE);
    assertThat(new Shrink().log()).isNull();
    assertThat(new Shrink().files()).isFalse();
    assertThat(new End(false, true).log()).isNull();
  }

  @Test
  void aFlowLoopNumbersMessagesOnlyWhereTheyCrossCheckpoints() {
    assertThat(new Local(LOG, false, false).numbersMessages(false)).isTrue();
    assertThat(new Local(LOG, false, false).numbersMessages(true)).isFalse();
    assertThat(new Local(LOG, true, false).numbersMessages(true)).isTrue();
  }
}
