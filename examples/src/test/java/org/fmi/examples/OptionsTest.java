package org.fmi.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static final String HELP =
      """
      sample - shows options

        --count N   a number
        --fast      a flag
        --help      show this and end
      """;

  private enum Color {
    RED,
    BLUE
  }

  private static Options parse(String... args) throws Exception {
    AtomicReference<Options> options = new AtomicReference<>();
    new ThreadWorld(1)
        .run(
            ThreadWorld.Loops.UNDISTURBED,
            fmi -> options.set(Options.parse(fmi.world(), HELP, args)));
    return Objects.requireNonNull(options.get());
  }

  @Test
  void readsValuesAndFlags() throws Exception {
    Options options = parse("--count", "7", "--fast");
    assertThat(options.integer("--count", 1, 0, 10)).isEqualTo(7);
    assertThat(options.has("--fast")).isTrue();
    assertThat(parse().integer("--count", 1, 0, 10)).isEqualTo(1);
    assertThat(parse().has("--fast")).isFalse();
    assertThat(parse().choice("--count", Color.BLUE)).isEqualTo(Color.BLUE);
    assertThat(parse("--count", "RED").choice("--count", Color.BLUE)).isEqualTo(Color.RED);
  }

  @Test
  void showsHelp() throws Exception {
    String printed =
        new ThreadWorld(2)
            .run(
                ThreadWorld.Loops.UNDISTURBED,
                fmi -> assertThat(Options.parse(fmi.world(), HELP, "--fast", "--help")).isNull());
    assertThat(printed).isEqualTo(HELP);
  }

  @Test
  void refusesWhatCannotWorkWithStatus2() {
    refuses(() -> parse("--fats"));
    refuses(() -> parse("--count"));
    refuses(() -> parse("stray"));
    refuses(() -> parse("--count", "x").integer("--count", 1, 0, 10));
    refuses(() -> parse("--count", "11").integer("--count", 1, 0, 10));
    refuses(() -> parse("--count", "GREEN").choice("--count", Color.BLUE));
  }

  private static void refuses(ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ThreadWorld.Aborted.class, e -> assertThat(e.status).isEqualTo(2));
  }
}
