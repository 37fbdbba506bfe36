package org.fmi.run.options;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The program to run. It is located before anything starts.
 *
 * @param classPath absolute paths
 */
public record Program(List<String> classPath, String mainClass, List<String> args) {
  private static final String CLASS = ".class";
  private static final String SOURCE = ".java";

  public Program {
    classPath = List.copyOf(classPath);
    args = List.copyOf(args);
  }

  /** Returns its name for people: the name of its jar or class, and its arguments. */
  public String text() {
    Path first = Path.of(classPath.getFirst());
    boolean jar = classPath.size() == 1 && first.toString().endsWith(".jar");
    List<String> words = new ArrayList<>(args);
    words.addFirst(jar ? first.getFileName().toString() : mainClass);
    return String.join(" ", words);
  }

  /**
   * @param classPath the value of {@code -cp}; null to run a jar
   * @param words the jar or class, and its arguments
   * @param directory base of relative paths
   */
  static Program find(@Nullable String classPath, List<String> words, Path directory)
      throws UsageException {
    if (words.isEmpty()) {
      throw new UsageException(
          classPath == null
              ? "no program given; write fmirun -n N app.jar [args...]"
              : "-cp: no main class given; write fmirun -n N -cp PATH main.Class [args...]");
    }
    String first = words.getFirst();
    List<String> args = words.subList(1, words.size());
    if (classPath == null) {
      Path jar = directory.resolve(first);
      String main = mainClassOf(jar, first);
      return new Program(List.of(entry(jar)), main, args);
    }
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      expand(entry, directory, entries);
    }
    if (first.indexOf('/') >= 0 || first.endsWith(CLASS) || first.endsWith(SOURCE)) {
      throw new UsageException(
          first
              + ": not the name of a class; write it as in Java, package included, as in"
              + " org.example.Main");
    }
    if (!holdsClass(entries, first)) {
      throw new UsageException(
          first
              + ": no such class in -cp "
              + classPath
              + "; give its full name, package included, and the path that holds it");
    }
    return new Program(entries, first, args);
  }

  private static String mainClassOf(Path jar, String name) throws UsageException {
    if (name.endsWith(CLASS)) {
      throw new UsageException(
          name
              + ": a class, not a jar; name the directory that holds its package, and the class"
              + " without .class, as in -cp DIR "
              + simpleName(name, CLASS));
    }
    if (name.endsWith(SOURCE)) {
      throw new UsageException(
          name
              + ": a source file; compile it with javac -d DIR, then name that directory and the"
              + " class, as in -cp DIR "
              + simpleName(name, SOURCE));
    }
    if (!Files.isRegularFile(jar)) {
      throw new UsageException(
          name
              + ": "
              + (Files.exists(jar) ? "not a file" : "no such file")
              + "; give the path of a jar, or -cp PATH main.Class");
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String main =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      if (main == null || main.isBlank()) {
        throw new UsageException(
            name
                + ": this jar names no Main-Class in its manifest; run it as fmirun ... -cp "
                + name
                + " main.Class");
      }
      return main.strip();
    } catch (IOException e) {
      throw new UsageException(
          name + ": not a readable jar (" + e.getMessage() + "); give the path of a jar");
    }
  }

  private static String simpleName(String path, String ending) {
    return path.substring(path.lastIndexOf('/') + 1, path.length() - ending.length());
  }

  private static void expand(String entry, Path directory, List<String> entries)
      throws UsageException {
    boolean all = entry.equals("*") || entry.endsWith("/*");
    Path path = directory.resolve(all ? entry.substring(0, entry.length() - 1) : entry);
    if (!Files.exists(path)) {
      throw new UsageException("-cp " + entry + ": no such file or directory; correct the path");
    }
    if (!all) {
      entries.add(entry(path));
      return;
    }
    try (Stream<Path> files = Files.list(path)) {
      List<Path> jars =
          files
              // Like java, which skips dangling links.
              .filter(file -> file.toString().endsWith(".jar") && Files.exists(file))
              .sorted()
              .toList();
      for (Path jar : jars) {
        entries.add(entry(jar));
      }
    } catch (IOException e) {
      throw new UsageException("-cp " + entry + ": cannot be listed (" + e.getMessage() + ")");
    }
  }

  private static String entry(Path path) throws UsageException {
    if (path.toString().contains(File.pathSeparator)) {
      throw new UsageException(
          path
              + ": its name contains a "
              + File.pathSeparator
              + ", which separates the entries of a class path; rename it, or give a link to it");
    }
    return path.toString();
  }

  private static boolean holdsClass(List<String> entries, String name) throws UsageException {
    String file = name.replace('.', '/') + ".class";
    for (String entry : entries) {
      Path path = Path.of(entry);
      if (Files.isDirectory(path)) {
        if (Files.isRegularFile(path.resolve(file))) {
          return true;
        }
        continue;
      }
      try (JarFile jar = new JarFile(path.toFile())) {
        Manifest manifest = jar.getManifest();
        if (jar.getEntry(file) != null
            // The class may be in another jar that this jar names.
            || (manifest != null
                && manifest.getMainAttributes().containsKey(Attributes.Name.CLASS_PATH))) {
          return true;
        }
      } catch (IOException e) {
        throw new UsageException(
            "-cp " + entry + ": not a readable jar (" + e.getMessage() + "); correct the path");
      }
    }
    return false;
  }
}
