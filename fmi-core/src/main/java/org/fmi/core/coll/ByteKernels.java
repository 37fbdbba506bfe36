package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code byte} elements; loops that the compiler can vectorise. */
final class ByteKernels {
  private ByteKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<byte[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> ByteKernels::max;
      case MIN -> ByteKernels::min;
      case SUM -> ByteKernels::sum;
      case PROD -> ByteKernels::prod;
      case LAND -> ByteKernels::logicalAnd;
      case LOR -> ByteKernels::logicalOr;
      case LXOR -> ByteKernels::logicalXor;
      case BAND -> ByteKernels::bitAnd;
      case BOR -> ByteKernels::bitOr;
      case BXOR -> ByteKernels::bitXor;
      case MAXLOC -> ByteKernels::maxLoc;
      case MINLOC -> ByteKernels::minLoc;
    };
  }

  private static void max(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) Math.max(in[i + k], inOut[j + k]);
    }
  }

  private static void min(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) Math.min(in[i + k], inOut[j + k]);
    }
  }

  private static void sum(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) (in[i + k] + inOut[j + k]);
    }
  }

  private static void prod(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) (in[i + k] * inOut[j + k]);
    }
  }

  private static void logicalAnd(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 && inOut[j + k] != 0 ? (byte) 1 : (byte) 0;
    }
  }

  private static void logicalOr(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] != 0 || inOut[j + k] != 0 ? (byte) 1 : (byte) 0;
    }
  }

  private static void logicalXor(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (in[i + k] != 0) != (inOut[j + k] != 0) ? (byte) 1 : (byte) 0;
    }
  }

  private static void bitAnd(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) (in[i + k] & inOut[j + k]);
    }
  }

  private static void bitOr(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) (in[i + k] | inOut[j + k]);
    }
  }

  private static void bitXor(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = (byte) (in[i + k] ^ inOut[j + k]);
    }
  }

  private static void maxLoc(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      byte a = in[i + k];
      byte b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a > b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }

  private static void minLoc(byte[] in, int i, byte[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      byte a = in[i + k];
      byte b = inOut[j + k];
      if (a == b ? in[i + k + 1] < inOut[j + k + 1] : a < b) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }
}
