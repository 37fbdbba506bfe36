package org.fmi.run.process;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import org.jspecify.annotations.Nullable;

/** What can be given to a process: its arguments and variables are bytes of the locale. */
public final class NativeText {
  private NativeText() {}

  /** The character set of this process' locale. */
  public static Charset charset() {
    return Charset.forName(System.getProperty("native.encoding"));
  }

  /** The first of some texts that has no bytes in a character set; null if all have. */
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
