package org.fmi.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A library for the use of devices, found through {@link ServiceLoader}. */
public interface VerbsProvider {
  /** Environment variable: the name of the provider to use. */
  String VARIABLE = "FMI_VERBS";

  /** The default provider. */
  String NATIVE = "native";

  /** The provider in the separate module fmi-verbs-disni. */
  String DISNI = "disni";

  /** The name, as in {@link #VARIABLE}. */
  String name();

  /**
   * For a person: the provider's parts. Needs no device.
   *
   * @throws IOException if a part is missing; says which, and how to get it
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
   * The bytes that it locks for each connection, in addition to registered memory.
   *
   * @param sends see {@link Verbs.Sizes#sends}
   * @param window see {@link Verbs.Sizes#window}
   * @param bytes the size of a receive buffer
   */
  long lockedBytes(int sends, int window, int bytes);

  /**
   * The provider chosen for this process.
   *
   * @throws IOException if there is none of that name; lists the valid names
   */
  static VerbsProvider chosen() throws IOException {
    return named(System.getenv(VARIABLE));
  }

  /**
   * The provider of this name.
   *
   * @param name null or empty for the default
   * @throws IOException if there is none; lists the valid names
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
