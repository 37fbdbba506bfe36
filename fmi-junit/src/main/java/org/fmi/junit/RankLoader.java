package org.fmi.junit;

import java.io.IOException;
import java.net.URL;
import java.util.Enumeration;
import org.fmi.provider.FmiProvider;

/**
 * Makes {@code Fmi.init} in a rank of a test find {@link RefusingProvider}, whatever other
 * providers exist.
 */
final class RankLoader extends ClassLoader {
  private static final String SERVICE = "META-INF/services/" + FmiProvider.class.getName();

  RankLoader(ClassLoader parent) {
    super(parent);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return super.getResources(name.equals(SERVICE) ? "org/fmi/junit/provider" : name);
  }
}
