package org.fmi.ckpt.files;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of directories and files. Files with other names are neither read nor deleted. */
final class Names {
  /** The file that commits a version. */
  static final String MANIFEST = "manifest.json";

  private static final Pattern JOB = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final Pattern VERSION = Pattern.compile("v(\\d{10})");
  private static final Pattern NODE_FILE = Pattern.compile("n\\d{4,6}-e\\d{1,9}\\.fmi");

  /** Temporary names, which a complete file exchanges for its own. */
  private static final Pattern TEMPORARY =
      Pattern.compile("(?:n\\d{4,6}-e\\d{1,9}\\.fmi|manifest\\.json)\\.tmp-[0-9a-f]{8}");

  private Names() {}

  static boolean isJob(String name) {
    return JOB.matcher(name).matches();
  }

  static String version(long version) {
    return "v" + padded(Long.toString(version), 10);
  }

  /** The version of a directory; empty if it is none of a version. */
  static OptionalLong version(String name) {
    Matcher matcher = VERSION.matcher(name);
    return matcher.matches()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }

  static String nodeFile(int node, int epoch) {
    return "n" + padded(Integer.toString(node), 4) + "-e" + epoch + ".fmi";
  }

  static boolean isNodeFile(String name) {
    return NODE_FILE.matcher(name).matches();
  }

  /** Whether this is a name of a file in a version's directory. */
  static boolean isOurs(String name) {
    return name.equals(MANIFEST) || isNodeFile(name) || TEMPORARY.matcher(name).matches();
  }

  /** A unique name, so that a leftover file does not get in the way. */
  static Path temporary(Path file) {
    int salt = ThreadLocalRandom.current().nextInt();
    String name = file.getFileName() + ".tmp-" + padded(Integer.toHexString(salt), 8);
    return file.resolveSibling(name);
  }

  private static String padded(String number, int digits) {
    return "0".repeat(Math.max(0, digits - number.length())) + number;
  }
}
