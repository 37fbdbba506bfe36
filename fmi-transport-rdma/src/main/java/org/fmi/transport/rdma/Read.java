package org.fmi.transport.rdma;

/** A message that is being read out of a peer's memory, in pieces. Reused. */
final class Read {
  /** Names it to the transport's caller. */
  long id;

  long address;
  int key;
  long remoteAddress;
  int remoteKey;
  long bytes;

  /** How many of them the device was asked for. */
  long asked;

  /** How many of them are here. */
  long arrived;

  /** Of the memory it is read into. */
  RegistrationCache.Registration registration;

  Read(RegistrationCache.Registration registration) {
    this.registration = registration;
  }
}
