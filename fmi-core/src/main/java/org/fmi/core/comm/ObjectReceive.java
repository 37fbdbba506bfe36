package org.fmi.core.comm;

import org.fmi.ObjectRequest;
import org.fmi.Status;
import org.fmi.core.p2p.ArrayRequest;
import org.fmi.provider.Progressing;
import org.jspecify.annotations.Nullable;

/** A non-blocking receive of an object. */
final class ObjectReceive<T> implements ObjectRequest<T>, Progressing {
  /** Null if the source is no process. */
  private final @Nullable ArrayRequest request;

  private final Class<T> type;
  private final Communicator comm;
  private @Nullable T object;
  private boolean read;

  ObjectReceive(@Nullable ArrayRequest request, Class<T> type, Communicator comm) {
    this.request = request;
    this.type = type;
    this.comm = comm;
  }

  @Override
  public @Nullable T get() {
    Status status = waitFor();
    boolean cancelled = status.equals(Status.EMPTY);
    if (!read && request != null && !cancelled) {
      object = ObjectCalls.object(request.array(), type, status);
      read = true;
    }
    return object;
  }

  @Override
  public Status waitFor() {
    return request == null ? Status.PROC_NULL : comm.members.local(request.waitFor());
  }

  @Override
  public boolean test() {
    return request == null || request.test();
  }

  @Override
  public @Nullable Status status() {
    if (request == null) {
      return Status.PROC_NULL;
    }
    Status status = request.status();
    return status == null ? null : comm.members.local(status);
  }

  @Override
  public boolean cancel() {
    return request != null && request.cancel();
  }

  @Override
  public void progress() {
    if (request != null) {
      request.progress();
    }
  }
}
