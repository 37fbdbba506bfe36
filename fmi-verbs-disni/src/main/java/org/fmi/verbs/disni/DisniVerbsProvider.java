package org.fmi.verbs.disni;

import java.io.IOException;
import java.net.InetAddress;
import org.fmi.verbs.Devices;
import org.fmi.verbs.ManagedVerbs;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;

/** Provides {@link DisniVerbs}. */
public final class DisniVerbsProvider implements VerbsProvider {
  @Override
  public String name() {
    return DISNI;
  }

  @Override
  public String check() throws IOException {
    Libdisni.load();
    return "DiSNI 2.1 with the site's libdisni";
  }

  @Override
  public Verbs open(InetAddress preferred) throws IOException {
    // As with the other provider, the lack of a device is reported first.
    new Devices().check();
    Libdisni.load();
    return new DisniVerbs(preferred);
  }

  @Override
  public long lockedBytes(int sends, int window, int bytes) {
    return ManagedVerbs.queueBytes(sends, window) + DisniPair.lockedBytes(window, bytes);
  }
}
