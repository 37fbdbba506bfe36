package org.fmi.run.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CompilerThreadsTest {
  @Test
  void tellsWhenTheJvmCompilesAndWhenItIsDone() throws Exception {
    CompilerThreads compilers = CompilerThreads.ofThisProcess();
    int matches = 0;
    for (int i = 0; !compilers.anyRuns(); i++) {
      matches += Pattern.matches("(a|b{1," + i % 900 + 1 + "}c?)*d", "abbcabd") ? 1 : 0;
    }
    while (compilers.anyRuns()) {
      Thread.sleep(10); // nothing is left to do for them as long as nothing runs
    }
    assertThat(matches).isNotNegative();
  }
}
