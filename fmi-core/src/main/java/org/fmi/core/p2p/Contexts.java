package org.fmi.core.p2p;

/**
 * Numbers the contexts that keep the messages of communicators apart, and says whose a context is.
 *
 * <p>Communicator {@code c} sends point to point in context {@code 2c} and does its collectives in
 * {@code 2c + 1}.
 */
public final class Contexts {
  /** The communicator of all ranks. */
  public static final int WORLD = 0;

  /** The communicator of the runtime itself. */
  public static final int SYSTEM = 1;

  private Contexts() {}

  /** Where a communicator sends point to point. */
  public static int pointToPoint(int communicator) {
    return 2 * communicator;
  }

  /** Where a communicator does its collectives. */
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
   * Whether messages of this context are the program's own: those that it sends and receives by
   * itself, point to point. They are counted, and saved with a checkpoint.
   */
  public static boolean isProgram(int context) {
    return (context & 1) == 0 && context != 2 * SYSTEM;
  }
}
