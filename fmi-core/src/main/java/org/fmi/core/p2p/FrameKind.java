package org.fmi.core.p2p;

/** The kinds of frames. The {@link org.fmi.core.p2p package} describes their meaning. */
final class FrameKind {
  /** A whole message. */
  static final byte EAGER = 1;

  /** Request to send: announces a message, and the memory where the receiver may read it. */
  static final byte RTS = 2;

  /**
   * Clear to send: the announced message has been matched; or it has been read, or is not wanted
   * any more.
   */
  static final byte CTS = 3;

  /** A part of a cleared message. */
  static final byte DATA = 4;

  /** Returns eager credit, or allows more announcements. */
  static final byte CREDIT = 5;

  /** Asks a silent peer whether it has left. */
  static final byte ASK = 6;

  /** Answers {@link #ASK}: the sender has left, and sends nothing after this frame. */
  static final byte LEFT = 7;

  /** Answers {@link #LEFT}: the sender still waits, and would wait forever. */
  static final byte STUCK = 8;

  /** Reports that detached sends wait for eager credit: see rule 5. */
  static final byte HELD = 9;

  /** Answers {@link #HELD}: requests some of these sends without credit. */
  static final byte ANNOUNCE = 10;

  /** A frame of a {@link Ledger} ahead of a message: see rule 8. */
  static final byte LEDGER = 11;

  private FrameKind() {}
}
