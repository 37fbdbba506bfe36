package org.fmi.job.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.fmi.job.control.CoreShare.Bound;
import org.junit.jupiter.api.Test;

final class CoreShareTest {
  /** Four cores with two hardware threads each, numbered as Linux usually does. */
  private static final List<int[]> HYPERTHREADED = cores("0,4", "1,5", "2,6", "3,7");

  private static List<int[]> cores(String... cores) {
    return Stream.of(cores).map(CoreList::parse).toList();
  }

  /** What each of {@code ranks} ranks gets. */
  private static List<String> shares(List<int[]> cores, int ranks) {
    return IntStream.range(0, ranks)
        .mapToObj(rank -> CoreShare.of(cores, rank, ranks))
        .map(share -> share.bound() + " " + CoreList.format(share.numbers()))
        .toList();
  }

  @Test
  void asManyRanksAsCoresHaveTheirThreadOnACoreOfItsOwn() {
    assertThat(shares(cores("0", "1"), 2)).containsExactly("THREAD 0", "THREAD 1");
    assertThat(shares(cores("4", "6", "9"), 2)).containsExactly("THREAD 4", "THREAD 6");
  }

  @Test
  void aLargerShareIsForTheWholeProcess() {
    assertThat(shares(cores("0", "1", "2", "3", "8"), 2))
        .containsExactly("PROCESS 0-1", "PROCESS 2-3");
    assertThat(shares(cores("0", "1"), 1)).containsExactly("PROCESS 0-1");
  }

  @Test
  void hardwareThreadsOfOneCoreGoToOneRank() {
    assertThat(shares(HYPERTHREADED, 2)).containsExactly("PROCESS 0-1,4-5", "PROCESS 2-3,6-7");
    assertThat(shares(HYPERTHREADED, 4))
        .containsExactly("THREAD 0,4", "THREAD 1,5", "THREAD 2,6", "THREAD 3,7");
  }

  @Test
  void coresCountNotTheirHardwareThreads() {
    assertThat(shares(HYPERTHREADED, 3)).containsExactly("THREAD 0,4", "THREAD 1,5", "THREAD 2,6");
  }

  @Test
  void moreRanksThanCoresUseEachCoreOnceBeforeTheyShareOne() {
    assertThat(shares(HYPERTHREADED, 6))
        .containsExactly("THREAD 0", "THREAD 1", "THREAD 2", "THREAD 3", "THREAD 4", "THREAD 5");
    assertThat(shares(HYPERTHREADED, 8)).endsWith("THREAD 6", "THREAD 7").doesNotHaveDuplicates();
  }

  @Test
  void moreRanksThanHardwareThreadsAreNotBound() {
    assertThat(shares(HYPERTHREADED, 9)).containsOnly("NOTHING ");
    assertThat(shares(cores("0"), 2)).containsOnly("NOTHING ");
    assertThat(shares(List.of(), 1)).containsOnly("NOTHING ");
  }

  /** A cpuset holds both threads of some cores, and one of others. */
  @Test
  void whatACpusetLeavesOfACoreIsACore() {
    List<int[]> cores = cores("0,4", "1", "6");
    assertThat(shares(cores, 3)).containsExactly("THREAD 0,4", "THREAD 1", "THREAD 6");
    assertThat(shares(cores, 4)).containsExactly("THREAD 0", "THREAD 1", "THREAD 6", "THREAD 4");
    assertThat(shares(cores("0"), 1)).containsExactly("THREAD 0");
  }

  @Test
  void aRankThatIsNoneOfThemIsRefused() {
    assertThatThrownBy(() -> CoreShare.of(HYPERTHREADED, 2, 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(CoreShare.of(HYPERTHREADED, 1, 2).bound()).isEqualTo(Bound.PROCESS);
  }
}
