package org.fmi.core.p2p;

/**
 * Numbers the contexts that separate the messages of communicators, and classifies them.
 *
 * <p>Communicator {@code c} uses context {@code 2c} for point-to-point messages and {@code 2c + 1}
 * for collectives.
 */
public final class Contexts {
  /** The communicator of all ranks. */
  public static final int WORLD = 0;

  /** The communicator of the runtime itself. */
  public static final int SYSTEM = 1;

  private Contexts() {}

  /** The point-to-point context of a communicator. */
  public static int pointToPoint(int communicator) {
    return 2 * communicator;
  }

  /** The context of a communicator's collectives. */
  public static int collectives(int communicator) {
    return 2 * communicator + 1;
  }

  /** Whether it is a context of collectives. */
  public static boolean isCollective(int context) {
    return (context & 1) != 0;
  }

  /** Whether it is a context of the runtime itself. */
  public static boolean isSystem(int context) {
    return context >> 1 == SYSTEM;
  }

  /**
   * Whether messages of this context are the program's own point-to-point messages. They are
   * counted, and saved with a checkpoint.
   */
  public static boolean isProgram(int context) {
    return (context & 1) == 0 && context != 2 * SYSTEM;
  }
}
