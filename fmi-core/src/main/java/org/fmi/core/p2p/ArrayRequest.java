package org.fmi.core.p2p;

import org.fmi.Request;
import org.fmi.provider.Progressing;

/**
 * A receive that may make the array that its message goes to: see {@link PointToPoint#ALLOCATE}.
 */
public interface ArrayRequest extends Request, Progressing {
  /** Where the message is, once the receive is complete. */
  Object array();
}
