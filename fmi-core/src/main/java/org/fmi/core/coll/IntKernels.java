package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code int} elements; loops that the compiler can vectorise. */
final class IntKernels {
  private IntKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<int[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> IntKernels::max;
      case MIN -> IntKernels::min;
      case SUM -> IntKernels::sum;
      case PROD -> IntKernels::prod;
      case LAND -> IntKernels::logicalAnd;
      case LOR -> IntKernels::logicalOr;
      case LXOR -> IntKernels::logicalXor;
      case BAND -> IntKernels::bitAnd;
      case BOR -> IntKernels::bitOr;
      case BXOR -> IntKernels::bitXor;
      case MAXLOC -> IntKernels::maxLoc;
      case MINLOC -> IntKernels::minLoc;
    };
  }

  private static void max(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.max(in[k], inOut[k]);
    }
  }

  private static void min(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] + inOut[k];
    }
  }

  private static void prod(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] * inOut[k];
    }
  }

  private static void logicalAnd(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 && inOut[k] != 0 ? 1 : 0;
    }
  }

  private static void logicalOr(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 || inOut[k] != 0 ? 1 : 0;
    }
  }

  private static void logicalXor(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (in[k] != 0) != (inOut[k] != 0) ? 1 : 0;
    }
  }

  private static void bitAnd(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] & inOut[k];
    }
  }

  private static void bitOr(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] | inOut[k];
    }
  }

  private static void bitXor(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] ^ inOut[k];
    }
  }

  private static void maxLoc(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      int a = in[k];
      int b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a > b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(int[] in, int[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      int a = in[k];
      int b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a < b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }
}
