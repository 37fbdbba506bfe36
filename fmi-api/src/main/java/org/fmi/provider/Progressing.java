package org.fmi.provider;

/** A request of the runtime that can wait on behalf of a call on many requests. */
public interface Progressing {
  /** Blocks until the request, or another one of the same rank, may have changed. */
  void progress();
}
