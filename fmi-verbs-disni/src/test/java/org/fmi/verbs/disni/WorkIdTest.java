package org.fmi.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WorkIdTest {
  @Test
  void returnsItsParts() {
    for (int place : new int[] {0, 1, WorkId.MOST_PLACES - 1}) {
      for (int generation : new int[] {0, 1, (1 << 23) - 1}) {
        long connection = WorkId.of(place, generation);
        for (int slot : new int[] {0, 1, WorkId.MOST_SLOTS - 1}) {
          long send = WorkId.send(connection, slot);
          long receive = WorkId.receive(connection, slot);
          assertThat(send).isNotEqualTo(receive);
          assertThat(WorkId.isReceive(send)).isFalse();
          assertThat(WorkId.isReceive(receive)).isTrue();
          for (long id : new long[] {send, receive}) {
            assertThat(WorkId.connection(id)).isEqualTo(connection);
            assertThat(WorkId.place(id)).isEqualTo(place);
            assertThat(WorkId.slot(id)).isEqualTo(slot);
          }
        }
      }
    }
  }

  @Test
  void aPlaceThatIsTakenAgainHasOtherNames() {
    assertThat(WorkId.of(3, 7)).isNotEqualTo(WorkId.of(3, 8));
  }
}
