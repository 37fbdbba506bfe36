package org.fmi.control;

/** What a rank shows as a number; counts are from the start of its process. */
public enum Counter {
  /** Messages of the program sent to other ranks. */
  MESSAGES_SENT,
  /** Messages of other ranks' programs that arrived. */
  MESSAGES_RECEIVED,
  /** Memory that its process has at this moment, shared memory that it uses included, in bytes. */
  MEMORY_BYTES,
  /** The most that it ever had of it. */
  PEAK_MEMORY_BYTES
}
