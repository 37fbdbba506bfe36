package org.fmi.run.rank;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/** Standard output and standard error of this process, which can be discarded for a while. */
final class HideableOutput {
  private volatile boolean hidden;

  /** Replaces both streams before the program first uses them. */
  static HideableOutput install() {
    HideableOutput output = new HideableOutput();
    System.setOut(output.around(System.out));
    System.setErr(output.around(System.err));
    return output;
  }

  private PrintStream around(PrintStream stream) {
    return new PrintStream(new Hideable(stream), true, stream.charset());
  }

  /** Sets whether output is discarded from now on. */
  void hide(boolean now) {
    hidden = now;
  }

  private final class Hideable extends FilterOutputStream {
    Hideable(OutputStream stream) {
      super(stream);
    }

    @Override
    public void write(int b) throws IOException {
      if (!hidden) {
        out.write(b);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!hidden) {
        out.write(bytes, offset, length);
        out.flush();
      }
    }
  }
}
