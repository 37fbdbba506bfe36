package org.fmi.examples.himeno;

import java.util.Locale;

/** The ways to compute an iteration; all give the same results, bit for bit. */
enum Kernel {
  /** Loops over arrays, which every JVM runs. */
  PLAIN {
    @Override
    Sweep over(Block block) {
      return new PlainSweep(block);
    }
  },
  /** The Vector API, an incubating module: to be asked for when the JVM starts. */
  VECTOR {
    @Override
    Sweep over(Block block) {
      return new VectorSweep(block);
    }
  };

  static final String VECTOR_MODULE = "jdk.incubator.vector";

  /** The kernel's work on a block; {@link #isAvailable} is to be asked before. */
  abstract Sweep over(Block block);

  /** Whether this JVM can run it. */
  boolean isAvailable() {
    return this != VECTOR || ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
