package org.fmi.core.p2p;

import org.fmi.Comm;

/**
 * Which messages a receive or probe wants: the matching rules of MPI 4 §3.2.4, as pure functions.
 *
 * <p>Only the program's part of a {@link MessageTag} matters: what else it says is compared once
 * the two have met. Messages of collectives match whatever their tag, which is a {@link
 * CollectiveCall}: as these come in the order of the calls, one of another call is an error, which
 * must not wait.
 */
public final class Pattern {
  /** The number of kinds: with and without a wildcard for source and tag. */
  static final int KINDS = 4;

  /** Source and tag are given. */
  static final int EXACT = 0;

  private static final int ANY_SOURCE = 1;
  private static final int ANY_TAG = 2;

  private Pattern() {}

  /** Whether a message is one that a receive wants. */
  public static boolean matches(
      int wantedContext, int wantedSource, long wantedTag, int context, int source, long tag) {
    return wantedContext == context
        && (wantedSource == source || wantedSource == Comm.ANY_SOURCE)
        && (MessageTag.tag(wantedTag) == MessageTag.tag(tag)
            || MessageTag.isAny(wantedTag)
            || Contexts.isCollective(context));
  }

  /** The part of a tag that must be the same for a match. */
  static int key(int context, long tag) {
    return Contexts.isCollective(context) ? 0 : MessageTag.tag(tag);
  }

  /** Which wildcards a receive has. */
  static int kind(int context, int wantedSource, long wantedTag) {
    return (wantedSource == Comm.ANY_SOURCE ? ANY_SOURCE : 0)
        | (!Contexts.isCollective(context) && MessageTag.isAny(wantedTag) ? ANY_TAG : 0);
  }

  /** The source that a receive of this kind names if it wants a message of {@code source}. */
  static int source(int kind, int source) {
    return (kind & ANY_SOURCE) != 0 ? Comm.ANY_SOURCE : source;
  }

  /** The tag that a receive of this kind names if it wants a message with the key {@code tag}. */
  static int tag(int kind, int tag) {
    return (kind & ANY_TAG) != 0 ? Comm.ANY_TAG : tag;
  }
}
