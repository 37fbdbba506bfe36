package org.fmi.run.options;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/**
 * Consumers of the job's metrics.
 *
 * @param listenAt address that serves metrics; null for none
 * @param pushTo receiver of metrics by OTLP; null for none
 */
public record MetricsOptions(@Nullable InetSocketAddress listenAt, @Nullable URI pushTo) {
  private static final Pattern ADDRESS = Pattern.compile("(?:(.+):)?(\\d{1,5})");
  private static final int MAX_PORT = 65535;

  static MetricsOptions of(Settings settings) throws UsageException {
    Value port = settings.get(Setting.METRICS_PORT);
    Value url = settings.get(Setting.METRICS_OTLP);
    return new MetricsOptions(port == null ? null : address(port), url == null ? null : url(url));
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return listenAt == null && pushTo == null;
  }

  private static InetSocketAddress address(Value value) throws UsageException {
    String text = value.texts().getFirst();
    Matcher matcher = ADDRESS.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
      throw new UsageException(
          value.origin()
              + " "
              + text
              + ": not a port from 0 to "
              + MAX_PORT
              + "; write 9400, or 0.0.0.0:9400 to be reached from other machines");
    }
    int port = Integer.parseInt(matcher.group(2));
    String host = matcher.group(1);
    if (host == null) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new UsageException(
          value.origin()
              + " "
              + text
              + ": unknown host "
              + host
              + "; name an address of this machine");
    }
    return address;
  }

  private static URI url(Value value) throws UsageException {
    String text = value.texts().getFirst();
    try {
      URI url = new URI(text);
      if (("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
          && url.getHost() != null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // continues with the refusal
    }
    throw new UsageException(
        value.origin()
            + " "
            + text
            + ": not the URL of a receiver; write it as http://collector:4318/v1/metrics");
  }
}
