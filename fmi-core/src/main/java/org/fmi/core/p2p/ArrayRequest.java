package org.fmi.core.p2p;

import org.fmi.Request;
import org.fmi.provider.Progressing;

/** A receive that may create the array for its message: see {@link PointToPoint#ALLOCATE}. */
public interface ArrayRequest extends Request, Progressing {
  /** Returns the array with the message, once the receive is complete. */
  Object array();
}
