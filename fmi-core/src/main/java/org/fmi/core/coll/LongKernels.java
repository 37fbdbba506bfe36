package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code long} elements; loops that the compiler can vectorise. */
final class LongKernels {
  private LongKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<long[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> LongKernels::max;
      case MIN -> LongKernels::min;
      case SUM -> LongKernels::sum;
      case PROD -> LongKernels::prod;
      case LAND -> LongKernels::logicalAnd;
      case LOR -> LongKernels::logicalOr;
      case LXOR -> LongKernels::logicalXor;
      case BAND -> LongKernels::bitAnd;
      case BOR -> LongKernels::bitOr;
      case BXOR -> LongKernels::bitXor;
      case MAXLOC -> LongKernels::maxLoc;
      case MINLOC -> LongKernels::minLoc;
    };
  }

  private static void max(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.max(in[k], inOut[k]);
    }
  }

  private static void min(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] + inOut[k];
    }
  }

  private static void prod(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] * inOut[k];
    }
  }

  private static void logicalAnd(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 && inOut[k] != 0 ? 1 : 0;
    }
  }

  private static void logicalOr(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 || inOut[k] != 0 ? 1 : 0;
    }
  }

  private static void logicalXor(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (in[k] != 0) != (inOut[k] != 0) ? 1 : 0;
    }
  }

  private static void bitAnd(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] & inOut[k];
    }
  }

  private static void bitOr(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] | inOut[k];
    }
  }

  private static void bitXor(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] ^ inOut[k];
    }
  }

  private static void maxLoc(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      long a = in[k];
      long b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a > b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(long[] in, long[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      long a = in[k];
      long b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a < b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }
}
