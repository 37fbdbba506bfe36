package org.fmi.core.loop;

import org.fmi.ConvergingBody;

/** A body that runs what the program has given, which has another type. */
public interface BodyOfProgram extends ConvergingBody {
  /** The program's own object. */
  Object given();

  /** The program's own object behind any body. */
  static Object given(ConvergingBody body) {
    return body instanceof BodyOfProgram around ? around.given() : body;
  }
}
