package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.VerbsProvider;
import org.junit.jupiter.api.Test;

/** The limit of a rank's locked memory, and whether it is sufficient. */
class RdmaTransportProviderTest {
  private static final long MIB = 1 << 20;

  private static RegistrationCache.Room room(int size, long limit, boolean exempt)
      throws IOException {
    return RdmaTransportProvider.room(
        RdmaFaultsTest.config(0, size, RdmaFaultsTest.secret(1)),
        Math.max(1, size - 1),
        VerbsProvider.named(VerbsProvider.NATIVE),
        limit,
        exempt);
  }

  /** Checked before the job relies on it. */
  @Test
  void aLimitThatAJobOfThisSizeWouldMeetIsSaidAtOnce() throws IOException {
    assertThat(room(8, 8 * MIB, false).bytes()).isBetween(0L, 2 * MIB);
    assertThatThrownBy(() -> room(40, 8 * MIB, false))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "rdma: one of 40 ranks needs 12176 KiB of locked memory, and the limit of this process"
                + " (ulimit -l) is 8192 KiB; "
                + LockedMemory.WAY_OUT);
    assertThatThrownBy(() -> room(1, 0, false)).hasMessageContaining("is 0 KiB");
  }

  @Test
  void whyTheProgramMayNotLockMoreIsSaid() throws IOException {
    RegistrationCache.Room limited = room(40, 13 * MIB, false);
    assertThat(limited.bytes()).isBetween(1L, 2 * MIB);
    assertThat(limited.reason()).contains("(ulimit -l) is 13312 KiB", LockedMemory.WAY_OUT);
    for (RegistrationCache.Room free :
        new RegistrationCache.Room[] {
          room(40, 8 * MIB, true), room(1000, LockedMemory.UNLIMITED, false)
        }) {
      assertThat(free.bytes()).isGreaterThan(13 * MIB);
      assertThat(free.reason()).contains("quarter of the machine's memory");
    }
  }
}
