package org.fmi.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.UnrecoverableException;
import org.fmi.testkit.contract.StoreGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The parts of {@code CheckpointStoreContract} that hold for a group of one that ends with its
 * process.
 */
final class HeapStoreTest {
  private static final long SEED = 5;

  private final CheckpointStore store = new HeapStore();

  @AfterEach
  void close() {
    store.close();
  }

  private void take(CheckpointId id, long bytes) throws IOException {
    StoreGroup.writeAndProtect(store, id, content(id, bytes));
  }

  private static byte[] content(CheckpointId id, long bytes) {
    return StoreGroup.content(bytes, SEED + id.version(), 0);
  }

  private void assertHolds(CheckpointId id, long bytes) throws IOException {
    assertThat(store.intact(id)).isTrue();
    assertThat(store.image(id).mismatch(MemorySegment.ofArray(content(id, bytes)))).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, 8, 4096, 1_000_000})
  void keepsImagesOfAnySize(long bytes) throws IOException {
    CheckpointId id = StoreGroup.id(1);
    take(id, bytes);
    assertThat(store.held()).containsExactly(id);
    assertHolds(id, bytes);
    assertThat(store.image(id).isReadOnly()).isTrue();
  }

  @Test
  void keepsCheckpointsUntilTheirRelease() throws IOException {
    for (int version = 1; version <= 5; version++) {
      take(StoreGroup.id(version), 1000L * version);
    }
    store.release(StoreGroup.id(2));
    store.release(StoreGroup.id(99));
    take(StoreGroup.id(6), 2000); // where version 2 was
    assertThat(store.held()).extracting(CheckpointId::version).containsExactly(1L, 3L, 4L, 5L, 6L);
    for (int version : new int[] {1, 3, 4, 5}) {
      assertHolds(StoreGroup.id(version), 1000L * version);
    }
    assertHolds(StoreGroup.id(6), 2000);
  }

  @Test
  void onlyWhatIsBeingWrittenIsProtected() throws IOException {
    CheckpointId id = StoreGroup.id(1);
    take(id, 10);
    assertThatThrownBy(() -> store.begin(id, 10)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> store.protect(StoreGroup.id(2)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> store.resize(StoreGroup.id(2), 20))
        .isInstanceOf(IllegalStateException.class);
    assertHolds(id, 10);
  }

  @Test
  void protectsAGrownImageInParts() throws IOException {
    CheckpointId begun = new CheckpointId(7, 0, 30, false);
    CheckpointId named = new CheckpointId(7, 0, 29, false);
    byte[] content = content(named, 3000);
    MemorySegment.copy(content, 0, store.begin(begun, 1000), ValueLayout.JAVA_BYTE, 0, 1000);
    MemorySegment image = store.resize(begun, content.length);
    MemorySegment.copy(content, 1000, image, ValueLayout.JAVA_BYTE, 1000, 2000);
    CheckpointStore.Protection protection = store.protecting(named);
    while (!protection.isComplete()) {
      assertThat(protection.advance()).isTrue();
    }
    assertThat(store.held()).containsExactly(named);
    assertHolds(named, content.length);
  }

  @Test
  void aCheckpointIsOpenedAgainWithItsContent() throws IOException {
    CheckpointId id = StoreGroup.id(1);
    take(id, 500);
    store.reopen(id);
    assertThat(store.held()).isEmpty();
    store.protect(id);
    assertHolds(id, 500);
  }

  @Test
  void survivesNoLoss() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    take(id, 100);
    assertThat(store.tolerance()).isZero();
    store.rebuild(id, new int[0]);
    assertHolds(id, 100);
    assertThatThrownBy(() -> store.rebuild(id, new int[] {0}))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("checkpoint 1");
  }
}
