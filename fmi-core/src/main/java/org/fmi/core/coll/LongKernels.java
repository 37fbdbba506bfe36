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

  private static void max(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = Math.max(in[i + k], inOut[j + k]);
    }
  }

  private static void min(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = Math.min(in[i + k], inOut[j + k]);
    }
  }

  private static void sum(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] + inOut[j + k];
    }
  }

  private static void prod(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] * inOut[j + k];
    }
  }

  private static void logicalAnd(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 && inOut[j + k] != 0 ? 1 : 0;
    }
  }

  private static void logicalOr(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 || inOut[j + k] != 0 ? 1 : 0;
    }
  }

  private static void logicalXor(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (in[i + k] != 0) != (inOut[j + k] != 0) ? 1 : 0;
    }
  }

  private static void bitAnd(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] & inOut[j + k];
    }
  }

  private static void bitOr(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] | inOut[j + k];
    }
  }

  private static void bitXor(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] ^ inOut[j + k];
    }
  }

  private static void maxLoc(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      long a = in[i + k];
      long b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a > b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }

  private static void minLoc(long[] in, int i, long[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      long a = in[i + k];
      long b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a < b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }
}
