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

  private static void max(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) Math.max(in[i + k], inOut[j + k]);
    }
  }

  private static void min(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) Math.min(in[i + k], inOut[j + k]);
    }
  }

  private static void sum(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) (in[i + k] + inOut[j + k]);
    }
  }

  private static void prod(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) (in[i + k] * inOut[j + k]);
    }
  }

  private static void logicalAnd(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 && inOut[j + k] != 0 ? (char) 1 : (char) 0;
    }
  }

  private static void logicalOr(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 || inOut[j + k] != 0 ? (char) 1 : (char) 0;
    }
  }

  private static void logicalXor(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (in[i + k] != 0) != (inOut[j + k] != 0) ? (char) 1 : (char) 0;
    }
  }

  private static void bitAnd(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) (in[i + k] & inOut[j + k]);
    }
  }

  private static void bitOr(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) (in[i + k] | inOut[j + k]);
    }
  }

  private static void bitXor(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (char) (in[i + k] ^ inOut[j + k]);
    }
  }

  private static void maxLoc(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      char a = in[i + k];
      char b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a > b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }

  private static void minLoc(char[] in, int i, char[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      char a = in[i + k];
      char b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a < b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }
}
