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

  private static void max(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) Math.max(in[k], inOut[k]);
    }
  }

  private static void min(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) (in[k] + inOut[k]);
    }
  }

  private static void prod(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) (in[k] * inOut[k]);
    }
  }

  private static void logicalAnd(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 && inOut[k] != 0 ? (byte) 1 : (byte) 0;
    }
  }

  private static void logicalOr(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] != 0 || inOut[k] != 0 ? (byte) 1 : (byte) 0;
    }
  }

  private static void logicalXor(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (in[k] != 0) != (inOut[k] != 0) ? (byte) 1 : (byte) 0;
    }
  }

  private static void bitAnd(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) (in[k] & inOut[k]);
    }
  }

  private static void bitOr(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) (in[k] | inOut[k]);
    }
  }

  private static void bitXor(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = (byte) (in[k] ^ inOut[k]);
    }
  }

  private static void maxLoc(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      byte a = in[k];
      byte b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a > b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(byte[] in, byte[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      byte a = in[k];
      byte b = inOut[k];
      if (a == b ? in[k + 1] < inOut[k + 1] : a < b) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }
}
