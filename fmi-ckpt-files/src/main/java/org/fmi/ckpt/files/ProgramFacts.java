package org.fmi.ckpt.files;

import java.util.List;

/**
 * The program that wrote a checkpoint. A different program cannot read it.
 *
 * @param jars the entries of its class path, in order
 * @param arguments shown to the user, not compared
 */
public record ProgramFacts(String mainClass, List<Jar> jars, List<String> arguments) {
  public ProgramFacts {
    jars = List.copyOf(jars);
    arguments = List.copyOf(arguments);
  }

  /**
   * An entry of the class path.
   *
   * @param name the file's name, without its directory
   * @param sha256 the SHA-256 of its content, in hexadecimal digits
   */
  public record Jar(String name, String sha256) {}

  /**
   * The difference that makes the other program a different one.
   *
   * @return part of a message; empty if both are the same
   */
  public String differenceTo(ProgramFacts other) {
    if (!mainClass.equals(other.mainClass)) {
      return "its main class was " + mainClass + ", and this program's is " + other.mainClass;
    }
    for (int i = 0; i < Math.max(jars.size(), other.jars.size()); i++) {
      if (i >= other.jars.size()) {
        return "it had " + jars.get(i).name() + " on its class path, and this program does not";
      }
      Jar now = other.jars.get(i);
      if (i >= jars.size()) {
        return "this program has " + now.name() + " on its class path, and it did not";
      }
      if (!jars.get(i).sha256().equals(now.sha256())) {
        return now.name()
            + " has another content (SHA-256 "
            + now.sha256().substring(0, 12)
            + "..., was "
            + jars.get(i).sha256().substring(0, 12)
            + "... of "
            + jars.get(i).name()
            + ")";
      }
    }
    return "";
  }
}
