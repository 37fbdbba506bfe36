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

  /** The rank has a new process. */
  private void replace() {
    once.replaced(3, false);
    once.replaced(3, true);
  }

  /** All ranks have one, and run. */
  private void startAgain() {
    replace();
    once.begun(true);
  }

  @Test
  void whatRepeatsIsLeftOut() {
    print("a\nb\n");
    print("c\n");
    startAgain();
    print("a\n");
    print("b\nc\nd\n");
    print("e\n");
    assertThat(shown).hasToString("a\nb\nc\nd\ne\n");
    assertThat(different).isEmpty();
  }

  @Test
  void aLineThatWasCutIsCompleted() {
    print("a\nbeg");
    startAgain();
    print("a\nbegun\nd\n");
    startAgain();
    print("a\nbegun\nd\n");
    assertThat(shown).hasToString("a\nbegun\nd\n");
  }

  @Test
  void aLineThatWasCutIsShownWholeIfAnotherRankWroteMeanwhile() {
    print("beg");
    shown.append("\nof another\n");
    startAgain();
    print("begun\n");
    assertThat(shown).hasToString("beg\nof another\nbegun\n");
  }

  @Test
  void whatFollowsForgottenOutputIsNewAndContinuesNoLine() {
    print("a\nbeg");
    once.forgetAll();
    once.begun(true);
    print("a\nc\n");
    assertThat(shown).hasToString("a\nbeg\na\nc\n");
    startAgain();
    print("a\nc\nd\n");
    assertThat(shown).hasToString("a\nbeg\na\nc\nd\n");
    assertThat(different).isEmpty();
  }

  @Test
  void aLineMayBeCutAgain() {
    print("a\nbegun an");
    startAgain();
    print("a\nbegun");
    startAgain();
    print("a\nbegun and ended\n");
    assertThat(shown).hasToString("a\nbegun and ended\n");
  }

  @Test
  void whatDiffersIsShownAndToldOnce() {
    print("a\nb\nc\n");
    startAgain();
    print("a\nx\nc\n");
    assertThat(shown).hasToString("a\nb\nc\nx\nc\n");
    assertThat(different).containsExactly(3);
    startAgain();
    print("a\nx\nc\n");
    assertThat(shown).hasToString("a\nb\nc\nx\nc\n");
    assertThat(different).containsExactly(3);
  }

  /** It prints before it is decided that the others start again too. */
  @Test
  void aReplacementRepeatsNothingBeforeAllStartAgain() {
    print("a\nb\nc\n");
    replace();
    print("a\n");
    once.begun(true);
    print("b\nc\nd\n");
    assertThat(shown).hasToString("a\nb\nc\nd\n");
    assertThat(different).isEmpty();
  }

  @Test
  void aReplacementThatDiffersIsToldOfOnceAllStartAgain() {
    print("a\nb\n");
    replace();
    print("x\n");
    assertThat(different).isEmpty();
    once.begun(true);
    assertThat(different).containsExactly(3);
    once.begun(true);
    assertThat(different).containsExactly(3);
    assertThat(shown).hasToString("a\nb\nx\n");
  }

  /** Its lines are equal to what was shown, but not the same ones: iterations have no numbers. */
  @Test
  void aReplacementThatSkipsIterationsPrintsWhatIsNew() {
    print("a\nstep\nstep\nstep\n");
    replace();
    print("a\n");
    once.begun(false);
    print("step\nend\n");
    assertThat(shown).hasToString("a\nstep\nstep\nstep\nstep\nend\n");
    assertThat(different).isEmpty();
  }

  /** They stand in a loop, which they do not begin again. */
  @Test
  void ranksThatRollBackPrintWhatIsNewThoughTheyStillRepeated() {
    print("step\nstep\nstep\n");
    startAgain();
    print("step\n");
    once.begun(false);
    print("step\n");
    assertThat(shown).hasToString("step\nstep\nstep\nstep\n");
  }

  @Test
  void aReplacementDoesNotContinueALineThatWasCut() {
    print("a\nbeg");
    replace();
    print("a\n");
    once.begun(false);
    print("step\n");
    assertThat(shown).hasToString("a\nbeg\nstep\n");
  }

  @Test
  void lostAgainInTheMiddleOfALineThatItRepeats() {
    print("a\nbegun\nc\n");
    startAgain();
    print("a\nbeg");
    startAgain();
    print("a\nbegun\nc\nd\n");
    assertThat(shown).hasToString("a\nbegun\nc\nd\n");
    assertThat(different).isEmpty();
  }

  @Test
  void whatArrivesInPiecesIsComparedAsALine() {
    print("a\nbegun\nc");
    startAgain();
    print("a\nbe");
    print("gun\n");
    print("");
    print("c");
    print("d\n");
    assertThat(shown).hasToString("a\nbegun\ncd\n");
    assertThat(different).isEmpty();
  }

  /** Perhaps it would have been a repetition. */
  @Test
  void nothingIsKeptForEver() {
    print("a\nbegun\n");
    startAgain();
    print("a\nbe");
    once.end((rank, error, bytes) -> shown.append(new String(bytes, StandardCharsets.UTF_8)));
    once.end((rank, error, bytes) -> shown.append("twice"));
    assertThat(shown).hasToString("a\nbegun\nbe");
  }

  @Test
  void aLineOfAnyLengthIsShownOnce() {
    String begin = "x".repeat(200_000);
    print(begin + "y");
    print("y".repeat(100_000));
    startAgain();
    print(begin);
    print("y".repeat(100_001) + "\nb\n");
    startAgain();
    print(begin + "y".repeat(100_001) + "\nb\nc\n");
    assertThat(shown.toString()).isEqualTo(begin + "y".repeat(100_001) + "\nb\nc\n");
    assertThat(different).isEmpty();
  }

  @Test
  void anotherStreamAndAnotherRankAreAnotherMatter() {
    print("a\n");
    startAgain();
    byte[] a = {'a', '\n'};
    assertThat(once.filter(3, true, a, false)).isEqualTo(a);
    assertThat(once.filter(2, false, a, false)).isEqualTo(a);
    assertThat(once.filter(3, false, a, false)).isEmpty();
  }

  @Test
  void whatIsNotKnownAnyMoreIsShownAgain() {
    once = new ShownOnce(different::add, 2);
    print("a\nb\nc\nd\n");
    startAgain();
    print("a\nb\nc\nd\n");
    assertThat(shown).hasToString("a\nb\nc\nd\nc\nd\n");
    assertThat(different).isEmpty();
  }
}
