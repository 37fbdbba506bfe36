package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.fmi.job.control.CoreList;
import org.fmi.run.process.Affinity;
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
    int[] numbers = cores.cores().stream().flatMapToInt(Arrays::stream).toArray();
    assertThat(numbers).doesNotHaveDuplicates();
    assertThat(Arrays.stream(numbers).sorted()).containsExactly(boxed(Affinity.ofCaller()));
    assertThat(cores.whole()).isLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
  }

  private static Integer[] boxed(int[] numbers) {
    return Arrays.stream(numbers).boxed().toArray(Integer[]::new);
  }

  private static String cores(String numbers, IntFunction<String> siblings) {
    return UsableCores.ofHardwareThreads(
            CoreList.parse(numbers), number -> CoreList.parse(siblings.apply(number)))
        .stream()
        .map(CoreList::format)
        .collect(Collectors.joining(" "));
  }

  @Test
  void hardwareThreadsOfOneCoreAreTogether() {
    assertThat(cores("0-7", number -> number % 4 + "," + (number % 4 + 4)))
        .isEqualTo("0,4 1,5 2,6 3,7");
    assertThat(cores("0-3", number -> number / 2 * 2 + "-" + (number / 2 * 2 + 1)))
        .isEqualTo("0-1 2-3");
  }

  @Test
  void aThreadOutsideOfTheCpusetDoesNotCount() {
    assertThat(cores("0-1,5-6", number -> number % 4 + "," + (number % 4 + 4)))
        .isEqualTo("0 1,5 6");
  }

  @Test
  void whatBelongsTogetherIsNotKnownEverywhere() {
    assertThat(cores("0-2", number -> "")).isEqualTo("0 1 2");
    assertThat(cores("0-2", number -> number == 1 ? "0-1" : "")).isEqualTo("0 1 2");
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
