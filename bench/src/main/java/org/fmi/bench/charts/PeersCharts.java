package org.fmi.bench.charts;

import static java.nio.charset.StandardCharsets.UTF_8;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.geom.AffineTransform;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws what {@code bench/peers/run --csv} has written: latency and bandwidth over size, and the
 * collective operations, an SVG file for each transport and kind.
 */
public final class PeersCharts {
  /** A library whose times are a column of the file, and the style of its curve. */
  private record Peer(String label, String column, Color color, Marker marker) {}

  /** The colours differ for colour-blind eyes too. */
  private static final List<Peer> PEERS =
      List.of(
          new Peer("FMI", "fmi", new Color(0x0072B2), SeriesMarkers.CIRCLE),
          new Peer("Open MPI", "openmpi", new Color(0xD55E00), SeriesMarkers.DIAMOND),
          new Peer(
              "Open MPI without CMA", "openmpi_no_cma", new Color(0x009E73), SeriesMarkers.SQUARE),
          new Peer("MPICH", "mpich", new Color(0xE69F00), SeriesMarkers.TRIANGLE_DOWN));

  /** The same column, in other rows. */
  private static final Peer DIRECT =
      new Peer("FMI, direct", "fmi", new Color(0xCC79A7), SeriesMarkers.TRIANGLE_UP);

  /** A line of the file, with the peers that were measured. */
  private record Row(
      String transport, int ranks, String operation, int bytes, Map<String, Double> medians) {
    boolean has(Peer peer) {
      return medians.containsKey(peer.column);
    }

    double median(Peer peer) {
      return Objects.requireNonNull(medians.get(peer.column));
    }
  }

  private interface Measure {
    double of(int bytes, double micros);
  }

  /** Both shapes of a ping-pong, and what their operations are called. */
  private record Shape(String title, String arrays, String direct) {}

  private static final List<Shape> SHAPES =
      List.of(
          new Shape("each side sends what it received", "pingpong", "pingpong-direct"),
          new Shape("each side sends a constant buffer", "constant", "constant-direct"));

  private static final Set<String> PING_PONGS =
      Set.of("pingpong", "pingpong-direct", "constant", "constant-direct");
  private static final Set<String> OTHERS_BETWEEN_TWO =
      Set.of(
          "pingpong-mixed",
          "constant-mixed",
          "pending",
          "rate",
          "rate-direct",
          "rate-mixed",
          "both",
          "both-direct",
          "both-mixed");
  private static final Measure TIME = (bytes, micros) -> micros;
  private static final Measure BANDWIDTH = (bytes, micros) -> bytes / micros / 1e3;
  private static final Dimension PANEL = new Dimension(560, 420);
  private static final int PANELS_PER_ROW = 4;

  private final List<Row> rows;
  private final Path folder;

  private PeersCharts(List<Row> rows, Path folder) {
    this.rows = rows;
    this.folder = folder;
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: charts.jar CSV_FILE FOLDER");
      System.exit(64);
    }
    System.setProperty("java.awt.headless", "true");
    requireFonts();
    Path folder = Files.createDirectories(Path.of(args[1]));
    PeersCharts charts = new PeersCharts(read(Path.of(args[0])), folder);
    for (String transport : charts.rows.stream().map(Row::transport).distinct().toList()) {
      charts.pingPong(transport, "latency", "half of a round trip (µs)", TIME);
      charts.pingPong(transport, "bandwidth", "bandwidth (GB/s)", BANDWIDTH);
      charts.collectives(transport);
    }
  }

  /** Without fonts the JDK fails anywhere in its depths, with errors that do not say why. */
  private static void requireFonts() {
    try {
      new Font(Font.SANS_SERIF, Font.PLAIN, 12)
          .getStringBounds("x", new FontRenderContext(null, true, true));
    } catch (Error | RuntimeException e) {
      System.err.println(
          "charts cannot be drawn, fonts are missing ("
              + e
              + "): apt-get install fontconfig fonts-dejavu-core libfreetype6");
      System.exit(70);
    }
  }

  private static List<Row> read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> header = List.of(lines.getFirst().split(","));
    List<Row> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      Map<String, Double> medians = new HashMap<>();
      for (Peer peer : PEERS) {
        String cell = cells[header.indexOf(peer.column)];
        if (!cell.isEmpty()) {
          medians.put(peer.column, Double.valueOf(cell));
        }
      }
      rows.add(
          new Row(
              cells[header.indexOf("transport")],
              Integer.parseInt(cells[header.indexOf("ranks")]),
              cells[header.indexOf("operation")],
              Integer.parseInt(cells[header.indexOf("bytes")]),
              medians));
    }
    return rows;
  }

  /** A panel for each shape. */
  private void pingPong(String transport, String name, String yTitle, Measure measure)
      throws IOException {
    List<IChart> panels = new ArrayList<>();
    for (Shape shape : SHAPES) {
      List<Row> arrays = of(transport, shape.arrays);
      List<Row> direct = of(transport, shape.direct);
      if (!arrays.isEmpty()) {
        String title = "%s, %s".formatted(longName(transport), shape.title);
        XYChart chart = overSize(title, yTitle, arrays, measure);
        if (!direct.isEmpty()) {
          add(chart, DIRECT, direct, measure);
        }
        panels.add(chart);
      }
    }
    if (!panels.isEmpty()) {
      save(name + "-" + transport, panels);
    }
  }

  /** Of two ranks: more are pairs. */
  private List<Row> of(String transport, String operation) {
    return rows.stream()
        .filter(row -> row.transport.equals(transport) && row.ranks == 2)
        .filter(row -> row.operation.equals(operation))
        .toList();
  }

  private void collectives(String transport) throws IOException {
    for (int ranks : rows.stream().mapToInt(Row::ranks).distinct().toArray()) {
      List<Row> measured =
          rows.stream()
              .filter(row -> row.transport.equals(transport) && row.ranks == ranks)
              .filter(row -> !PING_PONGS.contains(row.operation))
              .filter(row -> !OTHERS_BETWEEN_TWO.contains(row.operation))
              .toList();
      List<IChart> panels = new ArrayList<>();
      for (String operation : measured.stream().map(Row::operation).distinct().toList()) {
        List<Row> points =
            measured.stream().filter(row -> row.operation.equals(operation)).toList();
        String title = "%s, %d ranks, %s".formatted(operation, ranks, longName(transport));
        panels.add(
            operation.equals("barrier")
                ? barrier(title, points.getFirst())
                : overSize(title, "time of a call (µs)", points, TIME));
      }
      if (!panels.isEmpty()) {
        save("collectives-%s-%d-ranks".formatted(transport, ranks), panels);
      }
    }
  }

  private static XYChart overSize(
      String title, String yTitle, List<Row> measured, Measure measure) {
    XYChart chart =
        new XYChartBuilder()
            .width(PANEL.width)
            .height(PANEL.height)
            .title(title)
            .xAxisTitle("size of the message")
            .yAxisTitle(yTitle)
            .build();
    style(chart.getStyler());
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(PeersCharts::bytes);
    for (Peer peer : PEERS) {
      List<Row> points = measured.stream().filter(row -> row.has(peer)).toList();
      if (!points.isEmpty()) {
        add(chart, peer, points, measure);
      }
    }
    return chart;
  }

  private static void add(XYChart chart, Peer peer, List<Row> points, Measure measure) {
    chart
        .addSeries(
            peer.label,
            points.stream().mapToDouble(Row::bytes).toArray(),
            points.stream().mapToDouble(row -> measure.of(row.bytes, row.median(peer))).toArray())
        .setMarker(peer.marker)
        .setMarkerColor(peer.color)
        .setLineColor(peer.color);
  }

  /** A barrier has no size: bars instead of lines. */
  private static CategoryChart barrier(String title, Row point) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(PANEL.width)
            .height(PANEL.height)
            .title(title)
            .yAxisTitle("time of a call (µs)")
            .build();
    style(chart.getStyler());
    chart.getStyler().setYAxisLogarithmic(false);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisDecimalPattern("0.###");
    for (Peer peer : PEERS) {
      if (point.has(peer)) {
        chart
            .addSeries(peer.label, List.of("barrier"), List.of(point.median(peer)))
            .setFillColor(peer.color);
      }
    }
    return chart;
  }

  private static void style(AxesChartStyler styler) {
    styler.setYAxisLogarithmic(true);
    styler.setLocale(Locale.ROOT);
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(LegendLayout.Horizontal);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setMarkerSize(8);
    // In an SVG file, each dash of a dashed grid would be a separate shape.
    styler.setPlotGridLinesStroke(new BasicStroke(0.5f));
  }

  private static String longName(String transport) {
    return transport.equals("shm") ? "shared memory" : "TCP";
  }

  /** Ticks stand at powers of ten, hence the decimal units. */
  private static String bytes(double bytes) {
    if (bytes < 1e3) {
      return "%.0f B".formatted(bytes);
    }
    return bytes < 1e6 ? "%.0f kB".formatted(bytes / 1e3) : "%.0f MB".formatted(bytes / 1e6);
  }

  /** Draws the charts, all of one size, in rows from the left into one file. */
  private void save(String name, List<? extends IChart> charts) throws IOException {
    int columns = Math.min(PANELS_PER_ROW, charts.size());
    int lines = Math.ceilDiv(charts.size(), columns);
    VectorGraphics2D graphics = new VectorGraphics2D();
    for (int i = 0; i < charts.size(); i++) {
      AffineTransform corner = graphics.getTransform();
      graphics.translate(i % columns * PANEL.width, i / columns * PANEL.height);
      charts.get(i).paint(graphics, PANEL.width, PANEL.height);
      graphics.setTransform(corner);
    }
    PageSize page = new PageSize(columns * PANEL.width, lines * PANEL.height);
    Path file = folder.resolve(name + ".svg");
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    new SVGProcessor().getDocument(graphics.getCommands(), page).writeTo(svg);
    // Letters are outlines; hundredths of a pixel are fine enough.
    Files.writeString(file, svg.toString(UTF_8).replaceAll("(\\.\\d\\d)\\d+", "$1"));
    System.out.println(file);
  }
}
