package org.fmi.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.fmi.spi.TransportProvider;

/** The transports found on the class path. */
public final class Transports {
  private Transports() {}

  /** Returns all of them, in the order in which they are tried. */
  public static List<TransportProvider> find() {
    List<TransportProvider> found = new ArrayList<>();
    // FMI's own class loader: the program may have set another one for its thread.
    ServiceLoader.load(TransportProvider.class, Transports.class.getClassLoader())
        .forEach(found::add);
    found.sort(Comparator.comparingInt(TransportProvider::order));
    return found;
  }
}
