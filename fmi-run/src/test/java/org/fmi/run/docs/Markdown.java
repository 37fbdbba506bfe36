package org.fmi.run.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the tables, headings and links of one document, as GitHub shows them. */
public final class Markdown {
  /** The directory of the whole project. */
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)(?: +#+)?");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
  private static final Pattern CELL_BORDER = Pattern.compile("(?<!\\\\)\\|");
  private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\">");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private final Path file;

  /** Without blocks of code. */
  private final List<String> lines = new ArrayList<>();

  private Markdown(Path file) {
    this.file = file;
    boolean inCode = false;
    try {
      for (String line : Files.readAllLines(file)) {
        boolean fence = line.strip().startsWith("```");
        if (!fence && !inCode) {
          lines.add(line);
        }
        inCode ^= fence;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A document, by its name from the project's directory on. */
  public static Markdown of(String name) {
    return new Markdown(ROOT.resolve(name));
  }

  /** All documents of the project. */
  static List<Markdown> all() throws IOException {
    try (Stream<Path> directory = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> bench = Files.list(ROOT.resolve("bench"))) {
      return Stream.of(directory, docs, bench)
          .flatMap(files -> files)
          .filter(path -> path.toString().endsWith(".md"))
          .map(Markdown::new)
          .toList();
    }
  }

  Path file() {
    return file;
  }

  /**
   * Returns the cells of each row of the first table with these column names.
   *
   * @throws AssertionError if there is no such table
   */
  public List<List<String>> table(String... columns) {
    return tables(columns).getFirst();
  }

  /**
   * Returns the cells of each row of each table with these column names.
   *
   * @throws AssertionError if there is no such table
   */
  public List<List<List<String>>> tables(String... columns) {
    List<List<List<String>>> tables = new ArrayList<>();
    for (int header = 0; header < lines.size(); header++) {
      if (cells(lines.get(header)).equals(List.of(columns))) {
        tables.add(
            lines.stream()
                .skip(header + 2)
                .takeWhile(line -> line.startsWith("|"))
                .map(Markdown::cells)
                .toList());
      }
    }
    if (tables.isEmpty()) {
      throw new AssertionError(file + ": no table with columns " + List.of(columns));
    }
    return tables;
  }

  private static List<String> cells(String line) {
    if (!line.startsWith("|")) {
      return List.of();
    }
    String[] parts = CELL_BORDER.split(line.strip().substring(1), 0);
    return Stream.of(parts).map(cell -> cell.strip().replace("\\|", "|")).toList();
  }

  /** What stands in code font in a cell. */
  public static List<String> code(String cell) {
    return CODE.matcher(cell).results().map(match -> match.group(1)).toList();
  }

  /** What its links lead to. */
  List<String> links() {
    return lines.stream()
        .flatMap(line -> LINK.matcher(line).results())
        .map(match -> match.group(1))
        .toList();
  }

  /** What a link to one of its places may have behind the {@code #}. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (String line : lines) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        String anchor = anchor(heading.group(1));
        int before = seen.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
      ANCHOR.matcher(line).results().forEach(match -> anchors.add(match.group(1)));
    }
    return anchors;
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }
}
