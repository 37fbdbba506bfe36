package org.fmi.verbs.disni;

import com.ibm.disni.verbs.RdmaProvider;
import java.io.IOException;
import org.fmi.verbs.VerbsProvider;

/** DiSNI's native library, which a site builds and installs. */
final class Libdisni {
  private static final String NAME = "disni";

  private Libdisni() {}

  /**
   * Loads it for the life of the process.
   *
   * @throws IOException if it is missing, or of another version; says how to get it
   */
  @SuppressWarnings("restricted") // native code begins here
  static void load() throws IOException {
    try {
      System.loadLibrary(NAME);
    } catch (UnsatisfiedLinkError e) {
      throw unusable("libdisni is not installed (" + e.getMessage() + ")", e);
    }
    try {
      RdmaProvider.provider();
    } catch (IOException | LinkageError e) {
      throw unusable("libdisni is not from DiSNI 2.1 (" + e.getMessage() + ")", e);
    }
  }

  private static IOException unusable(String what, Throwable cause) {
    return new IOException(
        "rdma: "
            + VerbsProvider.VARIABLE
            + "="
            + VerbsProvider.DISNI
            + ": "
            + what
            + "; build it from the sources of DiSNI 2.1 and put its directory into LD_LIBRARY_PATH"
            + " where ranks start, or unset "
            + VerbsProvider.VARIABLE,
        cause);
  }
}
