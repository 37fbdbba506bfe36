package org.fmi.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A library by which devices are used. Found through {@link ServiceLoader}. */
public interface VerbsProvider {
  /** Environment variable: the name of the provider to use. */
  String VARIABLE = "FMI_VERBS";

  /** The provider that is used if none is named. */
  String NATIVE = "native";

  /** The provider in a module of its own, fmi-verbs-disni. */
  String DISNI = "disni";

  /** As {@link #VARIABLE} names it. */
  String name();

  /**
   * For a person: what it consists of. Needs no device.
   *
   * @throws IOException if something of it is missing; says what, and how to get it
   */
  String check() throws IOException;

  /**
   * Finds a device with an active port and an IP address.
   *
   * @param preferred the address to use if it belongs to an RDMA device
   * @throws IOException if there is none, or the provider is incomplete; says what is missing
   */
  Verbs open(InetAddress preferred) throws IOException;

  /**
   * Bytes that it locks for each connection, besides those that are registered.
   *
   * @param sends see {@link Verbs.Sizes#sends}
   * @param window see {@link Verbs.Sizes#window}
   * @param bytes of a receive buffer
   */
  long lockedBytes(int sends, int window, int bytes);

  /**
   * The one that this process is to use.
   *
   * @throws IOException if there is none of that name; says which there are
   */
  static VerbsProvider chosen() throws IOException {
    return named(System.getenv(VARIABLE));
  }

  /**
   * The one of this name.
   *
   * @param name null or empty for the usual one
   * @throws IOException if there is none; says which there are
   */
  static VerbsProvider named(@Nullable String name) throws IOException {
    String wanted = name == null || name.isEmpty() ? NATIVE : name;
    Map<String, VerbsProvider> found = new TreeMap<>();
    // FMI's own class loader: the program may have set another one for its thread.
    ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader())
        .forEach(p -> found.put(p.name(), p));
    VerbsProvider provider = found.get(wanted);
    if (provider != null) {
      return provider;
    }
    String message = "rdma: " + VARIABLE + "=" + wanted + ": ";
    if (wanted.equals(DISNI)) {
      throw new IOException(
          message
              + "its module, fmi-verbs-disni, is not on the class path; in an installation of FMI"
              + " it is in lib/disni");
    }
    throw new IOException(message + "no such verbs provider; valid: " + NATIVE + ", " + DISNI);
  }
}
