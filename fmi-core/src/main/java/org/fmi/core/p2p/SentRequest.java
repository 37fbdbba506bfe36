package org.fmi.core.p2p;

import org.fmi.Request;
import org.fmi.Status;
import org.fmi.provider.Progressing;

/**
 * A send of the program that completed at once, as most short ones do: a window of full {@link
 * MessageRequest}s would fill the caches. Not used when tests of requests are recorded, as a
 * replayed send may have to wait.
 *
 * @param since see {@link Epoch#since}
 */
public record SentRequest(Epoch epoch, Waits waits, int since) implements Request, Progressing {
  @Override
  public Status waitFor() {
    epoch.check(since);
    return Status.EMPTY;
  }

  @Override
  public boolean test() {
    epoch.check(since);
    return true;
  }

  @Override
  public Status status() {
    return waitFor();
  }

  @Override
  public boolean cancel() {
    epoch.check(since);
    return false;
  }

  @Override
  public void progress() {
    epoch.check(since);
    waits.poll();
  }
}
