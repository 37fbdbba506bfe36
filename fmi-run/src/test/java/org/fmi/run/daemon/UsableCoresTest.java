package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.job.control.CoreList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UsableCoresTest {
  @TempDir private Path mount;

  private void limit(String group, String text) throws IOException {
    Files.writeString(Files.createDirectories(mount.resolve(group)).resolve("cpu.max"), text);
  }

  @Test
  void findsTheCoresOfThisProcess() throws IOException {
    UsableCores cores = UsableCores.find();
    assertThat(cores.numbers()).isSorted().doesNotHaveDuplicates().isNotEmpty();
    assertThat(cores.whole()).isLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  void coresThatAreNotThereDoNotCount() {
    int[] allowed = CoreList.parse("0-127");
    assertThat(UsableCores.common(allowed, CoreList.parse("0-3,6"))).containsExactly(0, 1, 2, 3, 6);
    assertThat(UsableCores.common(CoreList.parse("2-3"), allowed)).containsExactly(2, 3);
  }

  @Test
  void aQuotaCountsInWholeCores() throws IOException {
    limit("", "350000 100000\n");
    assertThat(UsableCores.quota(mount, "/")).isEqualTo(3);
    limit("", "50000 100000\n");
    assertThat(UsableCores.quota(mount, "/")).isZero();
  }

  @Test
  void theNarrowestOfTheGroupsAboveCounts() throws IOException {
    limit("a/b", "max 100000\n");
    limit("a", "200000 100000\n");
    limit("", "400000 100000\n");
    assertThat(UsableCores.quota(mount, "/a/b")).isEqualTo(2);
  }

  @Test
  void withoutAQuotaThereIsNoLimit() throws IOException {
    limit("a", "max 100000\n");
    assertThat(UsableCores.quota(mount, "/a")).isEqualTo(Integer.MAX_VALUE);
    assertThat(UsableCores.quota(mount, "/../elsewhere")).isEqualTo(Integer.MAX_VALUE);
  }
}
