package org.fmi.core.comm;

import org.fmi.Request;
import org.fmi.Status;
import org.fmi.provider.Progressing;
import org.jspecify.annotations.Nullable;

/** A receive whose status names the source by its rank in a communicator, not in the world. */
record TranslatedRequest(Request request, Communicator communicator)
    implements Request, Progressing {
  @Override
  public Status waitFor() {
    return communicator.members.local(request.waitFor());
  }

  @Override
  public boolean test() {
    return request.test();
  }

  @Override
  public @Nullable Status status() {
    Status status = request.status();
    return status == null ? null : communicator.members.local(status);
  }

  @Override
  public boolean cancel() {
    return request.cancel();
  }

  @Override
  public void progress() {
    ((Progressing) request).progress();
  }
}
