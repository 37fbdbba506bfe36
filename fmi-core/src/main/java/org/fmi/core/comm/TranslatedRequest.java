package org.fmi.core.comm;

import org.fmi.Request;
import org.fmi.Status;
import org.jspecify.annotations.Nullable;

/** A receive whose status names the source by its rank in a communicator, not in the world. */
record TranslatedRequest(Request request, RankGroup group) implements Request {
  /** The status as the communicator of {@code group} shows it. */
  static Status translate(Status status, RankGroup group) {
    return status.source() < 0
        ? status
        : new Status(group.rankOf(status.source()), status.tag(), status.bytes());
  }

  @Override
  public Status waitFor() {
    return translate(request.waitFor(), group);
  }

  @Override
  public boolean test() {
    return request.test();
  }

  @Override
  public @Nullable Status status() {
    Status status = request.status();
    return status == null ? null : translate(status, group);
  }

  @Override
  public boolean cancel() {
    return request.cancel();
  }

  @Override
  public void progress() {
    request.progress();
  }
}
