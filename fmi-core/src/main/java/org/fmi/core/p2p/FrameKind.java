package org.fmi.core.p2p;

/** The kinds of frames; what they mean is described in the {@link org.fmi.core.p2p package}. */
final class FrameKind {
  /** A whole message. */
  static final byte EAGER = 1;

  /** Request to send: announces a message, and where the receiver may read it. */
  static final byte RTS = 2;

  /** Clear to send: the announced message has been matched; or read, and is not wanted any more. */
  static final byte CTS = 3;

  /** A part of a message that was cleared. */
  static final byte DATA = 4;

  /** Gives eager credit back, or allows more announcements. */
  static final byte CREDIT = 5;

  /** Asks a peer from which nothing comes whether it has left. */
  static final byte ASK = 6;

  /** The answer of one that has: all it will ever send is ahead of this. */
  static final byte LEFT = 7;

  /** The answer to that, of a rank that still waits: it would wait forever. */
  static final byte STUCK = 8;

  /** Messages that nobody waits for at their sender wait for eager credit: see rule 5. */
  static final byte HELD = 9;

  /** The answer of one that waits for something else: some of them are to come without credit. */
  static final byte ANNOUNCE = 10;

  /** What a {@link Ledger} sends ahead of a message: see rule 8. */
  static final byte LEDGER = 11;

  private FrameKind() {}
}
