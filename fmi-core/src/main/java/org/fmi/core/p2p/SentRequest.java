package org.fmi.core.p2p;

import org.fmi.Request;
import org.fmi.Status;
import org.fmi.provider.Progressing;

/**
 * A send of the program that was complete when it began, as most short ones are: a window of them
 * would fill the caches with what a {@link MessageRequest} remembers. Where answers on requests are
 * recorded there is none: repeated, the same send may have to wait.
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
