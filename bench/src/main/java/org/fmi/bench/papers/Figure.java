package org.fmi.bench.papers;

import static java.nio.charset.StandardCharsets.UTF_8;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.imageio.ImageIO;
import org.fmi.sim.papers.QuadraticFit;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A figure of a paper: curves over one axis, as a table, and as a chart on the paper's axes. */
final class Figure {
  private static final int WIDTH = 640;
  private static final int HEIGHT = 440;

  /** A quadratic curve goes through any so many points. */
  private static final int MOST_THAT_ALWAYS_FIT = 3;

  /** They differ for colour-blind eyes too. */
  private static final List<Color> COLORS =
      List.of(new Color(0x0072B2), new Color(0xD55E00), new Color(0x009E73), new Color(0xCC79A7));

  private final String name;
  private final String title;
  private final String xTitle;
  private final String yTitle;
  private final boolean logarithmic;
  private boolean fitted;
  private final Map<String, List<double[]>> curves = new LinkedHashMap<>();

  /**
   * One without curves.
   *
   * @param name of its files
   * @param logarithmic whether both axes are, the second one if no value is 0
   */
  Figure(String name, String title, String xTitle, String yTitle, boolean logarithmic) {
    this.name = name;
    this.title = title;
    this.xTitle = xTitle;
    this.yTitle = yTitle;
    this.logarithmic = logarithmic;
  }

  void add(String curve, double x, double y) {
    curves.computeIfAbsent(curve, _ -> new ArrayList<>()).add(new double[] {x, y});
  }

  /** Says below the table how well a second degree polynomial goes through each curve. */
  void fitQuadratically() {
    fitted = true;
  }

  /** A row per point. */
  List<String> rows() {
    List<String> rows = new ArrayList<>();
    curves.forEach(
        (curve, points) -> {
          for (double[] point : points) {
            rows.add(
                String.format(Locale.ROOT, "%s,\"%s\",%.6g,%.6g", name, curve, point[0], point[1]));
          }
        });
    return rows;
  }

  /** The same for people: a line per place on the axis, a column per curve. */
  void print() {
    System.out.println("simulated: " + title + "; " + yTitle);
    StringBuilder head = new StringBuilder("%16s".formatted(xTitle));
    curves.keySet().forEach(curve -> head.append("  %36s".formatted(curve)));
    System.out.println(head);
    int places = curves.values().iterator().next().size();
    for (int i = 0; i < places; i++) {
      StringBuilder line = new StringBuilder();
      for (List<double[]> points : curves.values()) {
        if (line.isEmpty()) {
          line.append(String.format(Locale.ROOT, "%16.6g", points.get(i)[0]));
        }
        line.append(String.format(Locale.ROOT, "  %36.6g", points.get(i)[1]));
      }
      System.out.println(line);
    }
    if (fitted && places > MOST_THAT_ALWAYS_FIT) {
      StringBuilder line = new StringBuilder("%16s".formatted("R^2, quadratic"));
      curves
          .values()
          .forEach(
              points ->
                  line.append(
                      String.format(Locale.ROOT, "  %36.4f", QuadraticFit.determination(points))));
      System.out.println(line);
    }
    System.out.println();
  }

  /** Draws it into a PNG and an SVG file. */
  void draw(Path folder) throws IOException {
    XYChart chart = chart();
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D pixels = image.createGraphics();
    chart.paint(pixels, WIDTH, HEIGHT);
    pixels.dispose();
    Path png = folder.resolve(name + ".png");
    ImageIO.write(image, "png", png.toFile());
    VectorGraphics2D shapes = new VectorGraphics2D();
    chart.paint(shapes, WIDTH, HEIGHT);
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    new SVGProcessor().getDocument(shapes.getCommands(), new PageSize(WIDTH, HEIGHT)).writeTo(svg);
    Path file = folder.resolve(name + ".svg");
    // Letters are outlines; hundredths of a pixel are fine enough.
    Files.writeString(file, svg.toString(UTF_8).replaceAll("(\\.\\d\\d)\\d+", "$1"));
    System.out.println(png);
    System.out.println(file);
  }

  private XYChart chart() {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title + " (simulated)")
            .xAxisTitle(xTitle)
            .yAxisTitle(yTitle)
            .build();
    chart.getStyler().setLocale(Locale.ROOT);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
    boolean positive = curves.values().stream().flatMap(List::stream).allMatch(p -> p[1] > 0);
    chart.getStyler().setXAxisLogarithmic(logarithmic);
    chart.getStyler().setYAxisLogarithmic(logarithmic && positive);
    if (!logarithmic) {
      chart.getStyler().setYAxisMin(0.0);
    }
    int number = 0;
    for (Map.Entry<String, List<double[]>> curve : curves.entrySet()) {
      List<double[]> points = curve.getValue();
      Color color = COLORS.get(number++ % COLORS.size());
      chart
          .addSeries(
              curve.getKey(),
              points.stream().mapToDouble(p -> p[0]).toArray(),
              points.stream().mapToDouble(p -> p[1]).toArray())
          .setMarker(SeriesMarkers.CIRCLE)
          .setMarkerColor(color)
          .setLineColor(color);
    }
    return chart;
  }
}
