package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code boolean} elements; loops that the compiler can vectorise. */
final class BooleanKernels {
  private BooleanKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<boolean[]> of(Op.Predefined op) {
    return switch (op) {
      case LAND -> BooleanKernels::logicalAnd;
      case LOR -> BooleanKernels::logicalOr;
      case LXOR -> BooleanKernels::logicalXor;
      case MAX, MIN, SUM, PROD, BAND, BOR, BXOR, MAXLOC, MINLOC -> null;
    };
  }

  private static void logicalAnd(boolean[] in, boolean[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] && inOut[k];
    }
  }

  private static void logicalOr(boolean[] in, boolean[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] || inOut[k];
    }
  }

  private static void logicalXor(boolean[] in, boolean[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] ^ inOut[k];
    }
  }
}
