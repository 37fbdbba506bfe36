package org.fmi.core.comm;

import org.fmi.Request;
import org.fmi.Status;

/** A request without an operation: to or from PROC_NULL. */
record CompletedRequest(Status status) implements Request {
  @Override
  public Status waitFor() {
    return status;
  }

  @Override
  public boolean test() {
    return true;
  }

  @Override
  public boolean cancel() {
    return false;
  }
}
