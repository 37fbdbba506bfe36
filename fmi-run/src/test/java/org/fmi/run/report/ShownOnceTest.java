package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ShownOnceTest {
  private final List<Integer> different = new ArrayList<>();
  private ShownOnce once = new ShownOnce(different::add);
  private final StringBuilder shown = new StringBuilder();

  private void print(String text) {
    boolean open = !shown.isEmpty() && shown.charAt(shown.length() - 1) != '\n';
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    shown.append(new String(once.filter(3, false, bytes, open), StandardCharsets.UTF_8));
  }

  @Test
  void whatRepeatsIsLeftOut() {
    print("a\nb\n");
    print("c\n");
    once.restart(3);
    print("a\n");
    print("b\nc\nd\n");
    print("e\n");
    assertThat(shown).hasToString("a\nb\nc\nd\ne\n");
    assertThat(different).isEmpty();
  }

  @Test
  void aLineThatWasCutIsCompleted() {
    print("a\nbeg");
    once.restart(3);
    print("a\nbegun\nd\n");
    once.restart(3);
    print("a\nbegun\nd\n");
    assertThat(shown).hasToString("a\nbegun\nd\n");
  }

  @Test
  void aLineThatWasCutIsShownWholeIfAnotherRankWroteMeanwhile() {
    print("beg");
    shown.append("\nof another\n");
    once.restart(3);
    print("begun\n");
    assertThat(shown).hasToString("beg\nof another\nbegun\n");
  }

  @Test
  void aLineMayBeCutAgain() {
    print("a\nbegun an");
    once.restart(3);
    print("a\nbegun");
    once.restart(3);
    print("a\nbegun and ended\n");
    assertThat(shown).hasToString("a\nbegun and ended\n");
  }

  @Test
  void whatDiffersIsShownAndToldOnce() {
    print("a\nb\nc\n");
    once.restart(3);
    print("a\nx\nc\n");
    assertThat(shown).hasToString("a\nb\nc\nx\nc\n");
    assertThat(different).containsExactly(3);
    once.restart(3);
    print("a\nx\nc\n");
    assertThat(shown).hasToString("a\nb\nc\nx\nc\n");
    assertThat(different).containsExactly(3);
  }

  @Test
  void anotherStreamAndAnotherRankAreAnotherMatter() {
    print("a\n");
    once.restart(3);
    byte[] a = {'a', '\n'};
    assertThat(once.filter(3, true, a, false)).isEqualTo(a);
    assertThat(once.filter(2, false, a, false)).isEqualTo(a);
    assertThat(once.filter(3, false, a, false)).isEmpty();
  }

  @Test
  void whatIsNotKnownAnyMoreIsShownAgain() {
    once = new ShownOnce(different::add, 2);
    print("a\nb\nc\nd\n");
    once.restart(3);
    print("a\nb\nc\nd\n");
    assertThat(shown).hasToString("a\nb\nc\nd\nc\nd\n");
    assertThat(different).isEmpty();
  }
}
