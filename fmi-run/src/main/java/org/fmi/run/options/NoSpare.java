package org.fmi.run.options;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/**
 * The reaction when a node is lost and no spare is left.
 *
 * @param requestSeconds how long to wait for a requested node first; 0 to request none
 * @param then the reaction if there is none
 */
record NoSpare(int requestSeconds, OnNoSpare then) {
  private static final int DEFAULT_SECONDS = 20;
  private static final List<String> POLICIES =
      List.of("wait", "share", "abort", "shrink", "request");

  /** As in request:60,wait. */
  private static final Pattern REQUEST =
      Pattern.compile("request(?::([1-9]\\d{0,6}))?(?:,(share|wait|abort|shrink))?");

  /** Reads the setting; null gives the default. */
  static NoSpare read(@Nullable Value value) throws UsageException {
    String text = value == null ? "share" : value.texts().getFirst();
    Matcher request = REQUEST.matcher(text);
    if (request.matches()) {
      String seconds = request.group(1);
      String then = request.group(2);
      return new NoSpare(
          seconds == null ? DEFAULT_SECONDS : Integer.parseInt(seconds),
          policy(then == null ? "share" : then));
    }
    if (!POLICIES.contains(text)) {
      throw new UsageException(
          (value == null ? "" : value.origin() + " ")
              + text
              + ": not one of "
              + String.join(", ", POLICIES)
              + (text.startsWith("request")
                  ? "; write it as in request:60,wait"
                  : Nearest.question(text, POLICIES)));
    }
    return new NoSpare(0, policy(text));
  }

  private static OnNoSpare policy(String text) {
    return OnNoSpare.valueOf(text.toUpperCase(Locale.ROOT));
  }

  /** Returns this reaction without a request. */
  NoSpare withoutRequest() {
    return new NoSpare(0, then);
  }
}
