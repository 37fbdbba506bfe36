package org.fmi.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockedMemoryTest {
  private static List<String> limits(String soft) {
    return List.of(
        "Limit                     Soft Limit           Hard Limit           Units     ",
        "Max processes             95000                95000                processes ",
        "Max locked memory         " + soft + "                unlimited            bytes     ");
  }

  @Test
  void theSoftLimitIsTheOneThatHolds() throws IOException {
    assertThat(LockedMemory.limit(limits("65536"))).isEqualTo(65536);
    assertThat(LockedMemory.limit(limits("unlimited"))).isEqualTo(LockedMemory.UNLIMITED);
    assertThatThrownBy(() -> LockedMemory.limit(List.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Max locked memory");
  }

  /** The text, padded as by the kernel. */
  private static final List<String> ALL_USERS = List.of("         0          0 4294967295");

  @Test
  void aCapabilityExempts() throws IOException {
    assertThat(LockedMemory.exempt(List.of("Name:\tjava", "CapEff:\t000001ffffffffff"), ALL_USERS))
        .isTrue();
    assertThat(LockedMemory.exempt(List.of("CapEff:\t000001ffffffbfff"), ALL_USERS)).isFalse();
    assertThat(LockedMemory.exempt(List.of("CapEff:\t0000000000000000"), ALL_USERS)).isFalse();
  }

  /** As in a rootless container, where the process has all capabilities in its namespace only. */
  @Test
  void aCapabilityInAUserNamespaceDoesNot() throws IOException {
    List<String> status = List.of("CapEff:\t000001ffffffffff");
    List<String> one = List.of("         0       1000          1");
    List<String> two = List.of(one.getFirst(), "         1     100000      65536");
    assertThat(LockedMemory.exempt(status, one)).isFalse();
    assertThat(LockedMemory.exempt(status, two)).isFalse();
    assertThat(LockedMemory.exempt(status, List.of())).isFalse();
  }

  @Test
  void readsTheMachinesMemoryInKibibytes() throws IOException {
    assertThat(LockedMemory.machineBytes(List.of("MemTotal:       6064292 kB", "MemFree: 1 kB")))
        .isEqualTo(6064292L << 10);
  }

  @Test
  void readsThisMachine() throws IOException {
    assertThat(LockedMemory.machineBytes()).isGreaterThan(1 << 20);
    assertThat(LockedMemory.limit()).isNotNegative();
    assertThat(LockedMemory.refused()).contains("ulimit -l");
  }
}
