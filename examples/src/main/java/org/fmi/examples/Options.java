package org.fmi.examples;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.Comm;
import org.jspecify.annotations.Nullable;

/**
 * A program's command line, read by all ranks alike. The help text says which options there are: a
 * line that begins with {@code --name} declares one, with a value if an upper case word follows.
 * Its first word is the program's name.
 */
public final class Options {
  private static final int WRONG_USAGE = 2;

  private final Comm world;
  private final String program;
  private final Map<String, String> given = new HashMap<>();

  private Options(Comm world, String help) {
    this.world = world;
    this.program = help.substring(0, help.indexOf(' '));
  }

  /**
   * Reads the command line.
   *
   * @return null if it asks for help, which rank 0 has shown then
   */
  public static @Nullable Options parse(Comm world, String help, String... args) {
    Options options = new Options(world, help);
    Map<String, Boolean> takesValue = declared(help);
    for (int i = 0; i < args.length; i++) {
      String name = args[i];
      Boolean value = takesValue.get(name);
      if (value == null) {
        throw options.refuse("unknown option " + name + ", there are " + names(takesValue));
      }
      if (value && i + 1 == args.length) {
        throw options.refuse(name + " needs a value");
      }
      options.given.put(name, value ? args[++i] : "");
    }
    if (options.has("--help")) {
      if (world.rank() == 0) {
        System.out.print(help);
      }
      return null;
    }
    return options;
  }

  /** Whether an option was given. */
  public boolean has(String name) {
    return given.containsKey(name);
  }

  /** An option's value. */
  public String text(String name, String otherwise) {
    return given.getOrDefault(name, otherwise);
  }

  /** An option's value, a number from {@code min} to {@code max}. */
  public int integer(String name, int otherwise, int min, int max) {
    String text = given.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      int value = Integer.parseInt(text);
      if (min <= value && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // refused below, like a number out of range
    }
    throw refuse(name + " " + text + ": must be a whole number from " + min + " to " + max);
  }

  /**
   * An option's value, whole numbers from 1 on with an x between them, such as 4x2.
   *
   * @param factors how many
   * @return null if it was not given
   */
  public int @Nullable [] product(String name, int factors) {
    String text = given.get(name);
    if (text == null) {
      return null;
    }
    int[] values = factors(text, factors);
    if (values == null) {
      throw refuse(
          name + " " + text + ": must be " + factors + " whole numbers with an x between them");
    }
    return values;
  }

  /** Whole numbers from 1 on with an x between them; null if the text is not as many. */
  public static int @Nullable [] factors(String text, int count) {
    String[] parts = text.split("x", -1);
    int[] values = new int[count];
    boolean right = parts.length == count;
    for (int i = 0; right && i < count; i++) {
      right = parts[i].matches("[1-9]\\d{0,8}");
      values[i] = right ? Integer.parseInt(parts[i]) : 0;
    }
    return right ? values : null;
  }

  /** An option's value, one of {@code otherwise}'s siblings. */
  public <E extends Enum<E>> E choice(String name, E otherwise) {
    String text = given.get(name);
    if (text == null) {
      return otherwise;
    }
    List<String> choices = new ArrayList<>();
    for (E choice : Objects.requireNonNull(otherwise.getDeclaringClass().getEnumConstants())) {
      if (choice.toString().equals(text)) {
        return choice;
      }
      choices.add(choice.toString());
    }
    throw refuse(name + " " + text + ": must be one of " + String.join(", ", choices));
  }

  /**
   * Ends the whole job with a message that says why the command line cannot work. Never returns:
   * the result exists to be thrown, so that the compiler knows.
   */
  public IllegalArgumentException refuse(String why) {
    if (world.rank() == 0) {
      System.err.println(program + ": " + why);
      world.abort(WRONG_USAGE);
    } else {
      world.barrier(); // until rank 0 has ended the job
    }
    return new IllegalArgumentException(why);
  }

  private static Map<String, Boolean> declared(String help) {
    Map<String, Boolean> takesValue = new HashMap<>();
    for (String line : help.lines().map(String::strip).toList()) {
      if (line.startsWith("--")) {
        String[] words = line.split(" +", 3);
        takesValue.put(words[0], words.length > 1 && Character.isUpperCase(words[1].charAt(0)));
      }
    }
    return takesValue;
  }

  private static String names(Map<String, Boolean> takesValue) {
    return String.join(", ", takesValue.keySet().stream().sorted().toList());
  }
}
