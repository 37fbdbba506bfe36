package org.fmi.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FreeMemoryTest {
  @TempDir private Path mount;

  private void file(String path, String text) throws IOException {
    Path file = mount.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text + "\n");
  }

  @Test
  void cachedPagesCountAsFree() throws IOException {
    file("job/memory.max", "1000");
    file("job/memory.current", "900");
    file("job/memory.stat", "anon 500\ninactive_file 200\nactive_file 50\nshmem 100");
    assertThat(FreeMemory.ofGroups(List.of("0::/job"), mount)).isEqualTo(350);
  }

  @Test
  void theNarrowestOfTheGroupsAboveCounts() throws IOException {
    file("a/b/memory.max", "max");
    file("a/b/memory.current", "100");
    file("a/memory.max", "1000");
    file("a/memory.current", "700");
    file("memory.max", "5000");
    file("memory.current", "4000");
    assertThat(FreeMemory.ofGroups(List.of("0::/a/b"), mount)).isEqualTo(300);
    file("a/memory.current", "1001");
    assertThat(FreeMemory.ofGroups(List.of("0::/a/b"), mount)).isZero();
  }

  @Test
  void groupsOfTheFirstVersion() throws IOException {
    file("memory/job/memory.limit_in_bytes", "1000");
    file("memory/job/memory.usage_in_bytes", "900");
    file("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 200\ntotal_active_file 0");
    file("memory/memory.limit_in_bytes", "9223372036854771712");
    file("memory/memory.usage_in_bytes", "2000");
    List<String> groups = List.of("12:cpu,cpuacct:/other", "4:memory:/job", "0::/");
    assertThat(FreeMemory.ofGroups(groups, mount)).isEqualTo(300);
  }

  @Test
  void withoutALimitThereIsNone() throws IOException {
    assertThat(FreeMemory.ofGroups(List.of(), mount)).isEqualTo(Long.MAX_VALUE);
    assertThat(FreeMemory.ofGroups(List.of("0::/job", "nonsense"), mount))
        .isEqualTo(Long.MAX_VALUE);
    assertThat(FreeMemory.bytes(mount)).isPositive();
  }
}
