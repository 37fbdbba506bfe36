package org.fmi.core.loop;

import org.fmi.ConvergingBody;

/** A body that wraps one of another type, given by the program. */
public interface WrappedBody extends ConvergingBody {
  /** The program's body. */
  Object given();

  /** The program's body inside any body. */
  static Object given(ConvergingBody body) {
    return body instanceof WrappedBody around ? around.given() : body;
  }
}
