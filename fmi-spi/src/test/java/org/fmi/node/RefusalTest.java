package org.fmi.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

final class RefusalTest {
  @Test
  void namesTheLimitAndTheCommandThatRaisesIt() {
    assertThat(Refusal.text(new IOException("File too large")))
        .startsWith("File too large; ")
        .contains("ulimit -f unlimited");
    assertThat(Refusal.text(new FileSystemException("/a/b", null, "Too many open files")))
        .startsWith("/a/b: Too many open files; ")
        .contains("ulimit -n");
    assertThat(Refusal.text(new IOException("Too many open files in system")))
        .contains("fs.file-max")
        .doesNotContain("ulimit");
  }

  @Test
  void tellsALackOfRoomFromErrors() {
    for (String room :
        new String[] {"No space left on device", "Disk quota exceeded", "File too large"}) {
      assertThat(Refusal.isOfRoom(new FileSystemException("/a/b", null, room))).isTrue();
    }
    for (String error : new String[] {"Input/output error", "Too many open files", "Map failed"}) {
      assertThat(Refusal.isOfRoom(new FileSystemException("/a/b", null, error))).isFalse();
    }
  }

  @Test
  void keepsOnlyTheFirstLineOfALongMessage() {
    String page =
        "Cannot run program \"fmi-daemon\": Bad file descriptor, error: 24 (Too many open files) "
            + "\nPossible reasons:\n  - Spawn helper ran into JDK version mismatch\n";
    assertThat(Refusal.text(new IOException(page)))
        .startsWith("Cannot run program \"fmi-daemon\"")
        .endsWith("raise it (ulimit -n 4096)")
        .doesNotContain("\n");
  }

  @Test
  void addsNoAdviceToUnknownReasons() {
    assertThat(Refusal.text(new IOException("No space left on device")))
        .isEqualTo("No space left on device");
    assertThat(Refusal.isOfLimit(new IOException("No space left on device"))).isFalse();
    assertThat(Refusal.isOfLimit(new IOException("File too large"))).isTrue();
    assertThat(Refusal.text(new IOException())).isEqualTo("java.io.IOException");
  }
}
