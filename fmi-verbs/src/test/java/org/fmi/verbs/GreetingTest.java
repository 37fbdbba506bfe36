package org.fmi.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class GreetingTest {
  private static final byte[] LISTENER = new byte[RdmaEndpoint.NONCE_BYTES];
  private final Greeting.Request request = new Greeting.Request(1, 2, 4, 42);
  private final Greeting ours = new Greeting(new byte[32], "job", 7);

  @Test
  void aRequestIsUnderstood() {
    byte[] bytes = ours.request(request, LISTENER);
    assertThat(bytes).hasSize(Greeting.REQUEST_BYTES);
    assertThat(ours.request(bytes, LISTENER)).isEqualTo(request);
    // The connection manager may pass it on with padding.
    assertThat(ours.request(Arrays.copyOf(bytes, 60), LISTENER)).isEqualTo(request);
  }

  @Test
  void aRequestWithAnyBitChangedIsNot() {
    byte[] bytes = ours.request(request, LISTENER);
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] changed = bytes.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThat(ours.request(changed, LISTENER)).as("bit %s", bit).isNull();
    }
    for (int n = 0; n < bytes.length; n++) {
      assertThat(ours.request(Arrays.copyOf(bytes, n), LISTENER)).as("%s bytes", n).isNull();
    }
  }

  @Test
  void refusesRequestsOfOtherJobs() {
    byte[] other = new byte[32];
    other[31] = 1;
    byte[] nonce = LISTENER.clone();
    nonce[0] = 1;
    assertThat(ours.request(new Greeting(other, "job", 7).request(request, LISTENER), LISTENER))
        .as("another secret")
        .isNull();
    assertThat(
            ours.request(new Greeting(new byte[32], "jab", 7).request(request, LISTENER), LISTENER))
        .as("another job")
        .isNull();
    assertThat(
            ours.request(new Greeting(new byte[32], "job", 8).request(request, LISTENER), LISTENER))
        .as("another epoch")
        .isNull();
    assertThat(ours.request(ours.request(request, nonce), LISTENER))
        .as("another endpoint")
        .isNull();
  }

  @Test
  void anAnswerProvesTheSecretForThisRequestOnly() {
    byte[] answer = ours.answer(request, 9, LISTENER);
    assertThat(ours.answered(answer, request, LISTENER)).isEqualTo(9);
    assertThat(ours.answered(answer, new Greeting.Request(1, 2, 4, 43), LISTENER)).isEqualTo(-1);
    assertThat(ours.answered(ours.request(request, LISTENER), request, LISTENER)).isEqualTo(-1);
    assertThat(ours.answered(new byte[0], request, LISTENER)).isEqualTo(-1);
    for (int bit = 0; bit < 8 * answer.length; bit++) {
      byte[] changed = answer.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThat(ours.answered(changed, request, LISTENER)).as("bit %s", bit).isEqualTo(-1);
    }
  }

  @Test
  void aRefusalHasACode() {
    assertThat(Greeting.refused(Greeting.refusal(3))).isEqualTo(3);
    assertThat(Greeting.refused(new byte[0])).isZero();
    assertThat(Greeting.refused(new byte[100])).isZero();
  }
}
