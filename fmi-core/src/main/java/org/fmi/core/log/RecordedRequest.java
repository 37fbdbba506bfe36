package org.fmi.core.log;

import org.fmi.Status;
import org.fmi.core.p2p.ArrayRequest;
import org.fmi.core.p2p.MessageRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request begun while the recorder was on. Its outcome, as the program sees it, is recorded, or
 * taken from the record.
 */
final class RecordedRequest implements ArrayRequest {
  private final Recording recording;
  private final MessageRequest request;

  /** Whether the record says that the program has seen it complete. */
  boolean seenComplete;

  RecordedRequest(Recording recording, MessageRequest request) {
    this.recording = recording;
    this.request = request;
  }

  MessageRequest request() {
    return request;
  }

  @Override
  public Object array() {
    return request.array();
  }

  @Override
  public Status waitFor() {
    return recording.waitFor(request);
  }

  @Override
  public boolean test() {
    if (!recording.test(this, true)) {
      return false;
    }
    request.result(); // throws if it has failed
    return true;
  }

  @Override
  public @Nullable Status status() {
    return recording.test(this, false) ? request.result() : null;
  }

  @Override
  public boolean cancel() {
    return recording.cancel(request);
  }

  @Override
  public void progress() {
    recording.progress(request);
  }
}
