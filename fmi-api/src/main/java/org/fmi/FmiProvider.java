package org.fmi;

/**
 * What a runtime implements, to be found by {@link Fmi#init} through {@link
 * java.util.ServiceLoader}. Not for programs.
 */
public interface FmiProvider {
  /** See {@link Fmi#init}. */
  Fmi init(String... args);
}
