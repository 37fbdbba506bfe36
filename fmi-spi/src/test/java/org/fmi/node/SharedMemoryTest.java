package org.fmi.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnreadableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pieces are private files with allocated memory, and outlive their process. */
class SharedMemoryTest {
  private Path directory = Path.of("/dev/shm");
  private SharedMemory memory = new SharedMemory(directory, FreeMemory::bytes, 0);

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "fmi-test-");
    memory = new SharedMemory(directory, FreeMemory::bytes, 0);
  }

  @AfterEach
  void removeDirectory() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void piecesOutliveTheirMappingAndArePrivate() throws IOException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment piece = memory.create("a-1", 10_000, arena);
      assertThat(piece.byteSize()).isEqualTo(10_000);
      assertThat(piece.mismatch(MemorySegment.ofArray(new byte[10_000]))).isEqualTo(-1);
      piece.set(ValueLayout.JAVA_BYTE, 9_999, (byte) 42);
    }
    Path file = directory.resolve("a-1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (Arena arena = Arena.ofShared()) {
      MemorySegment piece = memory.open("a-1", arena);
      assertThat(piece.get(ValueLayout.JAVA_BYTE, 9_999)).isEqualTo((byte) 42);
      MemorySegment replaced = memory.create("a-1", 20_000, arena);
      assertThat(replaced.get(ValueLayout.JAVA_BYTE, 9_999)).isEqualTo((byte) 0);
      // A process that has mapped the old one can still read it.
      assertThat(piece.get(ValueLayout.JAVA_BYTE, 9_999)).isEqualTo((byte) 42);
      memory.create("b-1", 1, arena);
      assertThat(memory.list("a-")).containsExactly("a-1");
      assertThat(memory.list("")).containsExactly("a-1", "b-1");
    }
    memory.delete("a-1");
    memory.delete("a-1");
    assertThat(memory.list("")).containsExactly("b-1");
  }

  @Test
  void memoryIsSetAsideBeforeItIsUsed() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      memory.create("piece", 5 << 20, arena);
    }
    Process stat =
        new ProcessBuilder("stat", "-c", "%b", directory.resolve("piece").toString()).start();
    String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertThat(Long.parseLong(blocks.strip()) * 512).isEqualTo(5 << 20);
  }

  @Test
  void tooMuchIsRefusedAndLeavesNothing() throws IOException {
    try (Arena arena = Arena.ofShared()) {
      assertThatThrownBy(() -> memory.create("huge", 1L << 50, arena))
          .isInstanceOf(NoRoomException.class)
          .hasMessageContaining("needs 1073741824 MiB in " + directory)
          .hasMessageContaining("MiB are free");
    }
    assertThat(memory.list("")).isEmpty();
  }

  /** A job whose checkpoints find no room must not stand still at each of them. */
  @Test
  void waitsForRoomOnlyOnceInARow() throws IOException {
    int[] looks = {0};
    long[] room = {1 << 20};
    SharedMemory full =
        new SharedMemory(
            directory,
            where -> {
              looks[0]++;
              return room[0];
            },
            100);
    try (Arena arena = Arena.ofShared()) {
      for (boolean waits : new boolean[] {true, false, true}) {
        looks[0] = 0;
        assertThatThrownBy(() -> full.create("piece", 200L << 20, arena))
            .isInstanceOf(NoRoomException.class);
        assertThat(looks[0] > 3).as("%d looks", looks[0]).isEqualTo(waits);
        if (!waits) {
          room[0] = 400L << 20;
          full.create("small", 1 << 20, arena);
          room[0] = 1 << 20;
        }
      }
    }
  }

  /** Each of a node's ranks finds room for itself; together they have too little. */
  @Test
  void seesMemoryTakenMeanwhile() throws IOException {
    long total = 250L << 20;
    long[] others = {0};
    SharedMemory crowded =
        new SharedMemory(
            directory,
            where -> {
              long free = total - others[0];
              others[0] += 100L << 20;
              return free;
            },
            0);
    try (Arena arena = Arena.ofShared()) {
      assertThatThrownBy(() -> crowded.create("piece", 200L << 20, arena))
          .isInstanceOf(NoRoomException.class)
          .hasMessageContaining("needs 200 MiB in " + directory)
          .hasMessageContaining("no room for the last 72 MiB");
    }
    assertThat(crowded.list("")).isEmpty();
  }

  /** The directory of another node on the same machine that has just died. */
  @Test
  void memoryThatIsBeingGivenBackIsWaitedFor() throws IOException {
    int[] looks = {0};
    SharedMemory filling =
        new SharedMemory(directory, where -> looks[0]++ < 5 ? 0 : 1 << 20, 60_000);
    try (Arena arena = Arena.ofShared()) {
      assertThat(filling.create("piece", 1 << 20, arena).byteSize()).isEqualTo(1 << 20);
    }
    assertThat(looks[0]).isGreaterThan(5);
  }

  /** A file of the program neither blocks a checkpoint nor is deleted. */
  @Test
  void anInterruptDoesNotEndIt() throws IOException {
    int[] looks = {0};
    SharedMemory interrupting =
        new SharedMemory(
            directory,
            where -> {
              if (looks[0]++ == 1) {
                Thread.currentThread().interrupt();
              }
              return 1L << 30;
            },
            0);
    try (Arena arena = Arena.ofShared()) {
      // Large enough for a second check while it is being filled.
      MemorySegment piece = interrupting.create("piece", 130 << 20, arena);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(piece.byteSize()).isEqualTo(130 << 20);
    }
    assertThat(interrupting.list("")).containsExactly("piece");
  }

  /** Fills in parts, and starts over after an interrupt. */
  @Test
  void aPieceIsMadeWithItsContent() throws IOException {
    int bytes = (65 << 20) + 3;
    int[] interrupts = {0};
    SharedMemory interrupting =
        new SharedMemory(
            directory,
            where -> {
              if (interrupts[0]++ == 1) {
                Thread.currentThread().interrupt();
              }
              return 1L << 30;
            },
            0);
    byte[] content = new byte[bytes];
    new SplittableRandom(1).nextBytes(content);
    List<Long> places = new ArrayList<>();
    NodeMemory.Filler filler =
        (at, to) -> {
          places.add(at);
          to.put(content, (int) at, Math.min(to.remaining(), 200_001));
        };
    try (Arena arena = Arena.ofShared()) {
      MemorySegment piece = interrupting.create("piece", bytes, arena, filler);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(piece.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
      piece.set(ValueLayout.JAVA_BYTE, 5, (byte) 42);
    }
    assertThat(places).filteredOn(at -> at == 0).hasSize(2);
    assertThat(Files.readAllBytes(directory.resolve("piece"))[5]).isEqualTo((byte) 42);
  }

  @Test
  void aFailedFillLeavesNoPiece() throws IOException {
    NodeMemory.Filler filler =
        (at, to) -> {
          if (at > 500_000) {
            throw new UnreadableException(new IOException("damaged"));
          }
          to.position(to.limit());
        };
    try (Arena arena = Arena.ofShared()) {
      assertThatThrownBy(() -> memory.create("piece", 1 << 20, arena, filler))
          .isInstanceOf(UnreadableException.class)
          .hasMessage("damaged");
    }
    assertThat(memory.list("")).isEmpty();
  }

  @Test
  void wrongUseIsRefused() {
    try (Arena arena = Arena.ofShared()) {
      for (String name : List.of("", ".", "..", "../x", "a/b")) {
        assertThatThrownBy(() -> memory.create(name, 1, arena))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> memory.create("x", 0, arena))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> memory.open("missing", arena))
          .isInstanceOf(NoSuchFileException.class);
      SharedMemory gone = new SharedMemory(directory.resolve("gone"));
      assertThatThrownBy(() -> gone.list("")).isInstanceOf(NoSuchFileException.class);
      assertThatThrownBy(() -> gone.create("x", 1, arena)).isInstanceOf(IOException.class);
    }
  }
}
