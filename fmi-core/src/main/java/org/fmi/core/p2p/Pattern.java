package org.fmi.core.p2p;

import org.fmi.Comm;

/**
 * Which messages a receive or probe wants: the matching rules of MPI 4 §3.2.4, as pure functions.
 */
final class Pattern {
  /** The number of kinds: with and without a wildcard for source and tag. */
  static final int KINDS = 4;

  /** Source and tag are given. */
  static final int EXACT = 0;

  private static final int ANY_SOURCE = 1;
  private static final int ANY_TAG = 2;

  private Pattern() {}

  /** Whether a message is one that a receive wants. */
  static boolean matches(
      int wantedContext, int wantedSource, int wantedTag, int context, int source, int tag) {
    return wantedContext == context
        && (wantedSource == source || wantedSource == Comm.ANY_SOURCE)
        && (wantedTag == tag || wantedTag == Comm.ANY_TAG);
  }

  /** Which wildcards a receive has. */
  static int kind(int wantedSource, int wantedTag) {
    return (wantedSource == Comm.ANY_SOURCE ? ANY_SOURCE : 0)
        | (wantedTag == Comm.ANY_TAG ? ANY_TAG : 0);
  }

  /** The source that a receive of this kind names if it wants a message of {@code source}. */
  static int source(int kind, int source) {
    return (kind & ANY_SOURCE) != 0 ? Comm.ANY_SOURCE : source;
  }

  /** The tag that a receive of this kind names if it wants a message of {@code tag}. */
  static int tag(int kind, int tag) {
    return (kind & ANY_TAG) != 0 ? Comm.ANY_TAG : tag;
  }
}
