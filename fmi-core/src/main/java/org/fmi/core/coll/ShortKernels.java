package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code short} elements; loops that the compiler can vectorise. */
final class ShortKernels {
  private ShortKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<short[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> ShortKernels::max;
      case MIN -> ShortKernels::min;
      case SUM -> ShortKernels::sum;
      case PROD -> ShortKernels::prod;
      case LAND -> ShortKernels::logicalAnd;
      case LOR -> ShortKernels::logicalOr;
      case LXOR -> ShortKernels::logicalXor;
      case BAND -> ShortKernels::bitAnd;
      case BOR -> ShortKernels::bitOr;
      case BXOR -> ShortKernels::bitXor;
      case MAXLOC -> ShortKernels::maxLoc;
      case MINLOC -> ShortKernels::minLoc;
    };
  }

  private static void max(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) Math.max(in[k], inOut[k]);
    }
  }

  private static void min(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) (in[k] + inOut[k]);
    }
  }

  private static void prod(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) (in[k] * inOut[k]);
    }
  }

  private static void logicalAnd(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 && inOut[k] != 0 ? (short) 1 : (short) 0;
    }
  }

  private static void logicalOr(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 || inOut[k] != 0 ? (short) 1 : (short) 0;
    }
  }

  private static void logicalXor(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (in[k] != 0) != (inOut[k] != 0) ? (short) 1 : (short) 0;
    }
  }

  private static void bitAnd(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) (in[k] & inOut[k]);
    }
  }

  private static void bitOr(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) (in[k] | inOut[k]);
    }
  }

  private static void bitXor(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (short) (in[k] ^ inOut[k]);
    }
  }

  private static void maxLoc(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      short a = in[k];
      short b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a > b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(short[] in, short[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      short a = in[k];
      short b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a < b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }
}
