package org.fmi.run.process;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import org.jspecify.annotations.Nullable;

/** Texts that can be passed to a process: its arguments and variables are bytes of the locale. */
public final class NativeText {
  private NativeText() {}

  /** Returns the character set of this process's locale. */
  public static Charset charset() {
    return Charset.forName(System.getProperty("native.encoding"));
  }

  /** Returns the first text that has no encoding in a character set; null if all have. */
  public static @Nullable String firstWithout(Iterable<String> texts, Charset charset) {
    CharsetEncoder encoder = charset.newEncoder();
    for (String text : texts) {
      if (!encoder.canEncode(text)) {
        return text;
      }
    }
    return null;
  }
}
