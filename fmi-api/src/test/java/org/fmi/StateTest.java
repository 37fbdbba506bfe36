package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class StateTest {
  @Test
  void aNameIsOneLine() {
    double[] u = {1};
    State state = State.of("u", u);
    assertThat(state.name()).isEqualTo("u");
    assertThat(state.state()).isSameAs(u);
    for (String name : List.of("", " ", "a\nb", "\t")) {
      assertThatThrownBy(() -> State.of(name, u))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("\"" + name + "\" cannot name state: a name is one line, and not blank");
    }
  }

  @Test
  void stateHasOneName() {
    State inner = State.of("u", new double[1]);
    assertThatThrownBy(() -> State.of("v", inner))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the state \"v\" has the name \"u\" already");
  }
}
