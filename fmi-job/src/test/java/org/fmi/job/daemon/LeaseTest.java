package org.fmi.job.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long ranks may run without fmirun. */
final class LeaseTest {
  private static final long TERM = 300;
  private static final long GRACE = 2000;

  /** Close to where the clock wraps around. */
  private static final long BEGIN = Long.MAX_VALUE - Duration.ofNanos(150).toNanos();

  private final Lease lease = new Lease(TERM, GRACE);

  LeaseTest() {
    lease.begin(BEGIN);
  }

  @Test
  void itEndsOneTermAfterTheSendingOfTheGrantedRequest() {
    assertThat(lease.due()).isEqualTo(BEGIN + 100);
    assertThat(lease.isRequestDue(BEGIN + 99)).isFalse();
    assertThat(lease.isRequestDue(BEGIN + 100)).isTrue();
    assertThat(lease.request(BEGIN + 100)).isZero();
    assertThat(lease.request(BEGIN + 200)).isOne();
    assertThat(lease.granted(0, BEGIN + 290)).isFalse();
    assertThat(lease.expires(BEGIN + 399)).isFalse();
    assertThat(lease.expires(BEGIN + 400)).isTrue();
    assertThat(lease.expires(BEGIN + 401)).as("once").isFalse();
    assertThat(lease.granted(1, BEGIN + 450)).as("until 500").isTrue();
    assertThat(lease.isExpired()).isFalse();
    assertThat(lease.expires(BEGIN + 500)).isTrue();
  }

  @Test
  void anOldGrantDoesNotRenewIt() {
    int request = lease.request(BEGIN);
    assertThat(lease.expires(BEGIN + 300)).isTrue();
    assertThat(lease.granted(request, BEGIN + 301)).isFalse();
    assertThat(lease.isExpired()).isTrue();
    assertThat(lease.granted(request, BEGIN + 302)).as("repeated").isFalse();
    int later = lease.request(BEGIN + 350);
    assertThat(lease.granted(later, BEGIN + 351)).isTrue();
  }

  @Test
  void theGraceDoesNotCountTimeInWhichTheDaemonWasStopped() {
    lease.look(BEGIN + 5000);
    assertThat(lease.expires(BEGIN + 5000)).isTrue();
    assertThat(lease.isOver(BEGIN + 5000 + GRACE - 1)).isFalse();
    lease.request(BEGIN + 5000);
    lease.look(BEGIN + 15_000); // due at 5100
    assertThat(lease.isOver(BEGIN + 15_000)).isFalse();
    assertThat(lease.isOver(BEGIN + 5000 + GRACE + 9900 - 1)).isFalse();
    assertThat(lease.isOver(BEGIN + 5000 + GRACE + 9900)).isTrue();
  }
}
