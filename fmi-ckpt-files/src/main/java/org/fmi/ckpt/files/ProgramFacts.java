package org.fmi.ckpt.files;

import java.util.List;

/**
 * The program that wrote a checkpoint: another one cannot read it.
 *
 * @param jars the entries of its class path, in order
 * @param arguments told to whoever looks; not compared
 */
public record ProgramFacts(String mainClass, List<Jar> jars, List<String> arguments) {
  public ProgramFacts {
    jars = List.copyOf(jars);
    arguments = List.copyOf(arguments);
  }

  /**
   * An entry of the class path.
   *
   * @param name of the file, without its directory
   * @param sha256 of its content, in hexadecimal digits
   */
  public record Jar(String name, String sha256) {}

  /**
   * What makes another program of it.
   *
   * @return a part of a line; empty if the other one is the same
   */
  public String differenceTo(ProgramFacts other) {
    if (!mainClass.equals(other.mainClass)) {
      return "its main class was " + mainClass + ", and this one's is " + other.mainClass;
    }
    for (int i = 0; i < Math.max(jars.size(), other.jars.size()); i++) {
      if (i >= other.jars.size()) {
        return "it had " + jars.get(i).name() + " on its class path, and this one has not";
      }
      Jar now = other.jars.get(i);
      if (i >= jars.size()) {
        return "this one has " + now.name() + " on its class path, and it had not";
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
