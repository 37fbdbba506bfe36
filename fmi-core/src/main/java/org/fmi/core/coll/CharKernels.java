package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code char} elements; loops that the compiler can vectorise. */
final class CharKernels {
  private CharKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<char[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> CharKernels::max;
      case MIN -> CharKernels::min;
      case SUM -> CharKernels::sum;
      case PROD -> CharKernels::prod;
      case LAND -> CharKernels::logicalAnd;
      case LOR -> CharKernels::logicalOr;
      case LXOR -> CharKernels::logicalXor;
      case BAND -> CharKernels::bitAnd;
      case BOR -> CharKernels::bitOr;
      case BXOR -> CharKernels::bitXor;
      case MAXLOC -> CharKernels::maxLoc;
      case MINLOC -> CharKernels::minLoc;
    };
  }

  private static void max(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) Math.max(in[k], inOut[k]);
    }
  }

  private static void min(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) (in[k] + inOut[k]);
    }
  }

  private static void prod(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) (in[k] * inOut[k]);
    }
  }

  private static void logicalAnd(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 && inOut[k] != 0 ? (char) 1 : (char) 0;
    }
  }

  private static void logicalOr(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 || inOut[k] != 0 ? (char) 1 : (char) 0;
    }
  }

  private static void logicalXor(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (in[k] != 0) != (inOut[k] != 0) ? (char) 1 : (char) 0;
    }
  }

  private static void bitAnd(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) (in[k] & inOut[k]);
    }
  }

  private static void bitOr(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) (in[k] | inOut[k]);
    }
  }

  private static void bitXor(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (char) (in[k] ^ inOut[k]);
    }
  }

  private static void maxLoc(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      char a = in[k];
      char b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a > b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(char[] in, char[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      char a = in[k];
      char b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a < b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }
}
