package org.fmi.run.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A line chart as an SVG file: the same places on the x axis for all lines, which are named. */
final class Chart {
  private static final int LEFT = 80;
  private static final int TOP = 40;
  private static final int WIDTH = 480;
  private static final int HEIGHT = 300;
  private static final int LEGEND = 200;
  private static final int TICKS = 5;
  private static final List<String> COLOURS =
      List.of("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf");

  private final String title;
  private final String across;
  private final String up;
  private final List<String> places;
  private final List<Line> lines = new ArrayList<>();

  private record Line(String name, List<Double> values) {}

  /**
   * @param across the name of the x axis
   * @param up the name of the y axis
   * @param places the labels of the x axis
   */
  Chart(String title, String across, String up, List<String> places) {
    this.title = title;
    this.across = across;
    this.up = up;
    this.places = List.copyOf(places);
  }

  /** Adds a line with a value per place. */
  void add(String name, List<Double> values) {
    lines.add(new Line(name, List.copyOf(values)));
  }

  void write(Path file) throws IOException {
    Files.writeString(file, svg());
  }

  private String svg() {
    double most =
        lines.stream().flatMap(line -> line.values.stream()).mapToDouble(v -> v).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
            .formatted(LEFT + WIDTH + LEGEND, TOP + HEIGHT + 60));
    svg.append(" font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n");
    text(svg, LEFT + WIDTH / 2.0, 20, "middle", title);
    text(svg, LEFT + WIDTH / 2.0, TOP + HEIGHT + 45, "middle", across);
    text(svg, 10, 20, "start", up);
    for (int tick = 0; tick <= TICKS; tick++) {
      double y = y((double) tick / TICKS);
      line(svg, LEFT, y, LEFT + WIDTH, y);
      text(svg, LEFT - 8, y + 4, "end", number(most * tick / TICKS));
    }
    for (int place = 0; place < places.size(); place++) {
      text(svg, x(place), TOP + HEIGHT + 20, "middle", places.get(place));
    }
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      String colour = COLOURS.get(i % COLOURS.size());
      StringBuilder points = new StringBuilder();
      for (int place = 0; place < line.values.size(); place++) {
        double y = y(line.values.get(place) / most);
        points.append(number(x(place))).append(',').append(number(y)).append(' ');
      }
      svg.append(
          "<polyline fill='none' stroke-width='2' stroke='%s' points='%s'/>\n"
              .formatted(colour, points.toString().strip()));
      double y = TOP + 10 + 20.0 * i;
      svg.append(
          "<rect x='%d' y='%s' width='12' height='3' fill='%s'/>\n"
              .formatted(LEFT + WIDTH + 15, number(y - 5), colour));
      text(svg, LEFT + WIDTH + 33, y, "start", line.name);
    }
    return svg.append("</svg>\n").toString();
  }

  private double x(int place) {
    return LEFT + WIDTH * (place + 0.5) / places.size();
  }

  private static double y(double share) {
    return TOP + HEIGHT * (1 - share);
  }

  private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
    svg.append(
        "<line x1='%s' y1='%s' x2='%s' y2='%s' stroke='#dddddd'/>\n"
            .formatted(number(x1), number(y1), number(x2), number(y2)));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        "<text x='%s' y='%s' text-anchor='%s'>%s</text>\n"
            .formatted(
                number(x), number(y), anchor, text.replace("&", "&amp;").replace("<", "&lt;")));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
