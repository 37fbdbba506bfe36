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

  private static void max(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) Math.max(in[i + k], inOut[j + k]);
    }
  }

  private static void min(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) Math.min(in[i + k], inOut[j + k]);
    }
  }

  private static void sum(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) (in[i + k] + inOut[j + k]);
    }
  }

  private static void prod(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) (in[i + k] * inOut[j + k]);
    }
  }

  private static void logicalAnd(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 && inOut[j + k] != 0 ? (short) 1 : (short) 0;
    }
  }

  private static void logicalOr(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 || inOut[j + k] != 0 ? (short) 1 : (short) 0;
    }
  }

  private static void logicalXor(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (in[i + k] != 0) != (inOut[j + k] != 0) ? (short) 1 : (short) 0;
    }
  }

  private static void bitAnd(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) (in[i + k] & inOut[j + k]);
    }
  }

  private static void bitOr(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) (in[i + k] | inOut[j + k]);
    }
  }

  private static void bitXor(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (short) (in[i + k] ^ inOut[j + k]);
    }
  }

  private static void maxLoc(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      short a = in[i + k];
      short b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a > b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }

  private static void minLoc(short[] in, int i, short[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      short a = in[i + k];
      short b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a < b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }
}
