package org.fmi.job.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FlushCodecTest {
  private final FlushResult failed = new FlushResult.Failed("no room", true);

  private static InputStream input(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  private byte[] answer() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FlushCodec.writeMoved(out);
    FlushCodec.writeMoved(out);
    FlushCodec.write(out, failed);
    return out.toByteArray();
  }

  @Test
  void resultsFollowOneAnother() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(answer());
    FlushCodec.write(out, new FlushResult.Published());
    InputStream from = input(out.toByteArray());
    int[] moved = new int[1];
    assertThat(FlushCodec.readResult(from, () -> moved[0]++)).isEqualTo(failed);
    assertThat(moved[0]).isEqualTo(2);
    assertThat(FlushCodec.readResult(from, () -> moved[0]++))
        .isEqualTo(new FlushResult.Published());
    assertThat(moved[0]).isEqualTo(2);
  }

  @Test
  void whoEndsInTheMiddleHasNoResult() throws IOException {
    byte[] answer = answer();
    for (int length = 0; length < answer.length; length++) {
      assertThat(FlushCodec.readResult(input(Arrays.copyOf(answer, length)), () -> {})).isNull();
    }
  }

  @Test
  void tasksEndWithTheirStream() throws IOException {
    FlushTask task = new FlushTask.Publish("/ckpt", "job", 5, 3, new byte[0], 2);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FlushCodec.write(out, task);
    InputStream from = input(out.toByteArray());
    assertThat(FlushCodec.readTask(from)).isInstanceOf(FlushTask.Publish.class);
    assertThat(FlushCodec.readTask(from)).isNull();
  }

  @Test
  void somethingElseIsRefused() {
    InputStream text = input("what a person types".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> FlushCodec.readTask(text)).isInstanceOf(BadMessageException.class);
  }
}
