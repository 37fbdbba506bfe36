package org.fmi.transport.shm;

/** A ring whose content its other end cannot have written, or its position not have published. */
final class DamagedRing extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedRing(String how) {
    super(how, null, false, false);
  }
}
