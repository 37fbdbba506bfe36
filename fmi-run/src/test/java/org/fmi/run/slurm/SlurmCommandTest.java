package org.fmi.run.slurm;

import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import org.fmi.run.process.EndedProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command of Slurm whose output cannot be read. */
final class SlurmCommandTest {
  @TempDir private Path directory;

  @Test
  void anUnreadableAnswerIsAFailureLikeAnyOther() throws IOException {
    new FakeSlurm(directory).command("squeue", "exit 0");
    SlurmCommand squeue = SlurmCommand.of("squeue", Map.of("PATH", directory.toString()));
    assertThatIOException()
        .isThrownBy(() -> squeue.answer(new Unreadable(), 60))
        .withMessageStartingWith("cannot read the output of squeue: ")
        .withMessageEndingWith("Input/output error");
  }

  private static final class Unreadable extends EndedProcess {
    @Override
    public InputStream getInputStream() {
      return new InputStream() {
        @Override
        public int read() throws IOException {
          throw new IOException("Input/output error");
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          return read();
        }
      };
    }
  }
}
