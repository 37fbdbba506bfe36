package org.fmi.core.p2p;

import org.fmi.Request;
import org.fmi.Status;

/**
 * A send of the program that was complete when it began, as most short ones are: a window of them
 * would fill the caches with what a {@link MessageRequest} remembers. Where answers on requests are
 * recorded there is none: repeated, the same send may have to wait.
 *
 * @param since see {@link Messenger#since}
 */
record SentRequest(Messenger messenger, int since) implements Request {
  @Override
  public Status waitFor() {
    messenger.check(since);
    return Status.EMPTY;
  }

  @Override
  public boolean test() {
    messenger.check(since);
    return true;
  }

  @Override
  public Status status() {
    return waitFor();
  }

  @Override
  public boolean cancel() {
    messenger.check(since);
    return false;
  }

  @Override
  public void progress() {
    messenger.check(since);
    messenger.poll();
  }
}
