package org.fmi.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;

/** The libraries of rdma-core. */
public enum Library {
  VERBS("libibverbs.so.1", "libibverbs1 ibverbs-providers"),
  CONNECTION_MANAGER("librdmacm.so.1", "librdmacm1");

  private final String file;
  private final String packages;

  Library(String file, String packages) {
    this.file = file;
    this.packages = packages;
  }

  /**
   * Loads it for the life of the process.
   *
   * @throws IOException if it is missing; says how to get it
   */
  @SuppressWarnings("restricted") // native code begins here
  public SymbolLookup load() throws IOException {
    try {
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "rdma: no " + file + " on this machine; install rdma-core (Debian: " + packages + ")", e);
    }
  }

  @Override
  public String toString() {
    return file;
  }
}
