package org.fmi.control;

/** What a rank counts, from the start of its process. */
public enum Counter {
  /** Messages of the program sent to other ranks. */
  MESSAGES_SENT,
  /** Messages of other ranks' programs that arrived. */
  MESSAGES_RECEIVED
}
