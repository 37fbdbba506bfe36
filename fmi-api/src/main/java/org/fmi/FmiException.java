package org.fmi;

/**
 * An error of a call: a wrong argument, a truncated message. It leaves the job as it was, with one
 * exception: a collective that has begun and then fails at a rank, by this or any other exception,
 * may leave messages under way. Further collectives on its communicator are then refused at this
 * rank ({@link ErrorClass#COMM}): use another communicator, or call {@link Comm#abort}.
 */
public final class FmiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kind of error. */
  private final ErrorClass errorClass;

  /**
   * An error of the given class; the message names the value, the reason and the way out.
   *
   * @param errorClass what went wrong
   * @param message names the value, the reason and the way out
   */
  public FmiException(ErrorClass errorClass, String message) {
    super(errorClass + ": " + message);
    this.errorClass = errorClass;
  }

  /**
   * The error's class (MPI_Error_class).
   *
   * @return what went wrong
   */
  public ErrorClass errorClass() {
    return errorClass;
  }
}
