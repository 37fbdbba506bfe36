package org.fmi.transport.rdma;

/** A message being read from a peer's memory, in pieces. Reused. */
final class Read {
  /** The id for the transport's caller. */
  long id;

  long address;
  int key;
  long remoteAddress;
  int remoteKey;
  long bytes;

  /** The number of bytes requested from the device. */
  long asked;

  /** The number of bytes that have arrived. */
  long arrived;

  /** The registration of the destination. */
  RegistrationCache.Registration registration;

  Read(RegistrationCache.Registration registration) {
    this.registration = registration;
  }
}
