package org.fmi.core.comm;

import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.core.coll.Location;
import org.fmi.core.coll.Reducer;
import org.jspecify.annotations.Nullable;

/** Checks the arguments of communicator calls other than buffers. */
final class Arguments {
  private Arguments() {}

  static void checkDest(int dest, int size) {
    if (dest < 0 ? dest != Comm.PROC_NULL : dest >= size) {
      throw noRank("destination", dest, size, " or Comm.PROC_NULL");
    }
  }

  static void checkSource(int source, int size) {
    if (source < 0 ? source != Comm.PROC_NULL && source != Comm.ANY_SOURCE : source >= size) {
      throw noRank("source", source, size, ", Comm.ANY_SOURCE or Comm.PROC_NULL");
    }
  }

  private static FmiException noRank(String what, int rank, int size, String others) {
    return new FmiException(
        ErrorClass.RANK,
        what
            + " "
            + rank
            + " is not a rank of this communicator of "
            + size
            + ": use 0 to "
            + (size - 1)
            + others);
  }

  static void checkRoot(int root, int size) {
    if (root < 0 || root >= size) {
      throw new FmiException(
          ErrorClass.ROOT,
          "root "
              + root
              + " is not a rank of this communicator of "
              + size
              + ": use 0 to "
              + (size - 1));
    }
  }

  static void checkSendTag(int tag) {
    if (tag < 0) {
      throw new FmiException(
          ErrorClass.TAG, "tag " + tag + " is negative: use 0 to " + Integer.MAX_VALUE);
    }
  }

  static void checkReceiveTag(int tag) {
    if (tag < 0 && tag != Comm.ANY_TAG) {
      throw new FmiException(
          ErrorClass.TAG,
          "tag " + tag + " is negative: use 0 to " + Integer.MAX_VALUE + " or Comm.ANY_TAG");
    }
  }

  /** Checks an array with one number per rank. */
  static long[] onePerRank(long @Nullable [] values, String name, int size) {
    if (values == null || values.length != size) {
      throw new FmiException(
          ErrorClass.ARG,
          name
              + (values == null ? " is null" : " has " + values.length + " elements")
              + ": give one for each of the "
              + size
              + " ranks");
    }
    return values;
  }

  /** Checks that the vector consists of whole pairs if the operation needs pairs. */
  static void checkGroups(long count, Reducer reducer) {
    if (count % reducer.group() != 0) {
      throw new FmiException(
          ErrorClass.COUNT, "count " + count + " is odd: MAXLOC and MINLOC need pairs of elements");
    }
  }

  /** Returns the number of elements of a block; checks that it is whole. */
  static long blockCount(long bytes, Datatype type) {
    if (bytes % type.bytes() != 0) {
      throw new FmiException(
          ErrorClass.TYPE,
          "a block of " + bytes + " bytes is not a whole number of " + type + " elements");
    }
    return bytes / type.bytes();
  }

  /** The data that a rank sends itself must fit where it goes, in whole elements. */
  static void checkOwn(long sendBytes, long recvBytes, Datatype recvType) {
    if (sendBytes > recvBytes) {
      throw new FmiException(
          ErrorClass.TRUNCATE,
          "this rank sends itself "
              + sendBytes
              + " bytes and has room for "
              + recvBytes
              + ": make its receive count as large as its send count, or larger");
    }
    blockCount(sendBytes, recvType);
  }

  static void checkApart(Location send, Location recv, long bytes) {
    if (bytes > 0 && send.isSamePlaceAs(recv)) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "the send buffer is the receive buffer: pass Comm.IN_PLACE as the send buffer (to scatter"
              + " as the receive buffer)");
    }
  }

  /** {@code a + b} of counts, saturated. */
  static long add(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  /** A count times the number of ranks, saturated. */
  static long multiply(long count, int size) {
    return count > Long.MAX_VALUE / size ? Long.MAX_VALUE : count * size;
  }
}
