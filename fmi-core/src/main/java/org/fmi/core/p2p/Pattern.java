package org.fmi.core.p2p;

import org.fmi.Comm;

/**
 * The matching rules of MPI 4 §3.2.4, as pure functions: which messages a receive or probe accepts.
 *
 * <p>Only the program's part of a {@link MessageTag} takes part in matching; the rest is compared
 * after the match. Messages of collectives match for any tag, which is a {@link CollectiveCall}: as
 * they arrive in the order of the calls, a message of a different call is an error, which must
 * surface at once.
 */
public final class Pattern {
  /** The number of kinds: with and without a wildcard for source and tag. */
  static final int KINDS = 4;

  /** Source and tag are given. */
  static final int EXACT = 0;

  private static final int ANY_SOURCE = 1;
  private static final int ANY_TAG = 2;

  private Pattern() {}

  /** Whether a message matches a receive. */
  public static boolean matches(
      int wantedContext, int wantedSource, long wantedTag, int context, int source, long tag) {
    return wantedContext == context
        && (wantedSource == source || wantedSource == Comm.ANY_SOURCE)
        && (MessageTag.tag(wantedTag) == MessageTag.tag(tag)
            || MessageTag.isAny(wantedTag)
            || Contexts.isCollective(context));
  }

  /** The part of a tag that takes part in matching. */
  static int key(int context, long tag) {
    return Contexts.isCollective(context) ? 0 : MessageTag.tag(tag);
  }

  /** The wildcards of a receive. */
  static int kind(int context, int wantedSource, long wantedTag) {
    return (wantedSource == Comm.ANY_SOURCE ? ANY_SOURCE : 0)
        | (!Contexts.isCollective(context) && MessageTag.isAny(wantedTag) ? ANY_TAG : 0);
  }

  /** The source in a receive of this kind that matches a message of {@code source}. */
  static int source(int kind, int source) {
    return (kind & ANY_SOURCE) != 0 ? Comm.ANY_SOURCE : source;
  }

  /** The tag in a receive of this kind that matches a message with the key {@code tag}. */
  static int tag(int kind, int tag) {
    return (kind & ANY_TAG) != 0 ? Comm.ANY_TAG : tag;
  }
}
