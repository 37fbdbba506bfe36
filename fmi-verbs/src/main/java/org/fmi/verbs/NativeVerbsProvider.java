package org.fmi.verbs;

import java.io.IOException;
import java.net.InetAddress;

/** Provides {@link NativeVerbs}: rdma-core's libraries, by the foreign function API. */
public final class NativeVerbsProvider implements VerbsProvider {
  @Override
  public String name() {
    return NATIVE;
  }

  @Override
  public String check() throws IOException {
    for (Library library : Library.values()) {
      library.load();
    }
    return "rdma-core's libraries, called directly";
  }

  @Override
  public Verbs open(InetAddress preferred) throws IOException {
    return new NativeVerbs(preferred);
  }

  @Override
  public long lockedBytes(int sends, int window, int bytes) {
    return ManagedVerbs.queueBytes(sends, window);
  }
}
