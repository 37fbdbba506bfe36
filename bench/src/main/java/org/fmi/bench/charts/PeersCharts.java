package org.fmi.bench.charts;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.font.FontRenderContext;
import java.awt.image.BufferedImage;
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
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
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
 * collective operations, a PNG file for each transport and kind.
 */
public final class PeersCharts {
  /** Whose times stand in a column of the file, and how they are drawn. */
  private record Peer(String label, String column, Color color, Marker marker) {}

  /** The colours differ for colour-blind eyes too. */
  private static final List<Peer> PEERS =
      List.of(
          new Peer("FMI", "fmi", new Color(0x0072B2), SeriesMarkers.CIRCLE),
          new Peer("Open MPI", "openmpi", new Color(0xD55E00), SeriesMarkers.DIAMOND),
          new Peer(
              "Open MPI without CMA", "openmpi_no_cma", new Color(0x009E73), SeriesMarkers.SQUARE));

  /** A line of the file, with the peers that were measured. */
  private record Row(
      String transport, int ranks, String operation, int bytes, Map<Peer, Double> medians) {
    boolean has(Peer peer) {
      return medians.containsKey(peer);
    }

    double median(Peer peer) {
      return Objects.requireNonNull(medians.get(peer));
    }
  }

  private interface Measure {
    double of(int bytes, double micros);
  }

  /** What stands in the title and in the file's name of a ping-pong's charts. */
  private static final Map<String, String> PING_PONGS =
      Map.of(
          "pingpong", "",
          "pingpong-direct", "-direct",
          "constant", "-constant",
          "constant-direct", "-constant-direct");

  private static final Set<String> OTHERS_BETWEEN_TWO = Set.of("pending", "rate");
  private static final Measure TIME = (bytes, micros) -> micros;
  private static final Measure BANDWIDTH = (bytes, micros) -> bytes / micros / 1e3;
  private static final Dimension LARGE = new Dimension(900, 600);
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
      for (String operation : PING_PONGS.keySet()) {
        charts.pingPong(transport, operation);
      }
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
      Map<Peer, Double> medians = new HashMap<>();
      for (Peer peer : PEERS) {
        String cell = cells[header.indexOf(peer.column)];
        if (!cell.isEmpty()) {
          medians.put(peer, Double.valueOf(cell));
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

  private void pingPong(String transport, String operation) throws IOException {
    List<Row> measured =
        rows.stream()
            .filter(row -> row.transport.equals(transport) && row.operation.equals(operation))
            .toList();
    if (measured.isEmpty()) {
      return;
    }
    XYChart latency =
        overSize(
            LARGE,
            "Latency of " + operation + " over " + longName(transport),
            "half of a round trip (µs)",
            measured,
            TIME);
    String name = PING_PONGS.get(operation) + "-" + transport;
    save("latency" + name, List.of(latency));
    XYChart bandwidth =
        overSize(
            LARGE,
            "Bandwidth of " + operation + " over " + longName(transport),
            "bandwidth (GB/s)",
            measured,
            BANDWIDTH);
    save("bandwidth" + name, List.of(bandwidth));
  }

  private void collectives(String transport) throws IOException {
    for (int ranks : rows.stream().mapToInt(Row::ranks).distinct().toArray()) {
      List<Row> measured =
          rows.stream()
              .filter(row -> row.transport.equals(transport) && row.ranks == ranks)
              .filter(row -> !PING_PONGS.containsKey(row.operation))
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
                : overSize(PANEL, title, "time of a call (µs)", points, TIME));
      }
      if (!panels.isEmpty()) {
        save("collectives-%s-%d-ranks".formatted(transport, ranks), panels);
      }
    }
  }

  private static XYChart overSize(
      Dimension size, String title, String yTitle, List<Row> measured, Measure measure) {
    XYChart chart =
        new XYChartBuilder()
            .width(size.width)
            .height(size.height)
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
        chart
            .addSeries(
                peer.label,
                points.stream().mapToDouble(Row::bytes).toArray(),
                points.stream()
                    .mapToDouble(row -> measure.of(row.bytes, row.median(peer)))
                    .toArray())
            .setMarker(peer.marker)
            .setMarkerColor(peer.color)
            .setLineColor(peer.color);
      }
    }
    return chart;
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
    List<BufferedImage> images = charts.stream().map(BitmapEncoder::getBufferedImage).toList();
    int width = images.getFirst().getWidth();
    int height = images.getFirst().getHeight();
    int columns = Math.min(PANELS_PER_ROW, images.size());
    int lines = Math.ceilDiv(images.size(), columns);
    BufferedImage all =
        new BufferedImage(columns * width, lines * height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = all.createGraphics();
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, all.getWidth(), all.getHeight());
    for (int i = 0; i < images.size(); i++) {
      graphics.drawImage(images.get(i), i % columns * width, i / columns * height, null);
    }
    graphics.dispose();
    Path file = folder.resolve(name + ".png");
    if (!ImageIO.write(all, "png", file.toFile())) {
      throw new IOException(file + ": the JDK cannot write PNG files");
    }
    System.out.println(file);
  }
}
