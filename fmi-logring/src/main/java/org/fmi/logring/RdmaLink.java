package org.fmi.logring;

import org.fmi.net.Heartbeat;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.RdmaEndpoint;
import org.jspecify.annotations.Nullable;

/** The connection with one neighbour over RDMA, or an attempt to make one. */
final class RdmaLink {
  /** Its life. */
  enum State {
    /** This rank has dialled. */
    DIALLING,
    /** The neighbour has dialled and was answered. */
    ACCEPTED,
    /** Frames may go. */
    OPEN,
    /** Over. */
    LOST
  }

  /** Its place among all there ever were; the id of what is sent over it. */
  final int number;

  final RdmaConnection connection;
  final Greeting.Request request;
  final int peer;
  final Window window = new Window();
  State state;
  Heartbeat heartbeat;

  /** Something was sent since the last beat. */
  boolean wrote;

  // Of one that this rank dials.
  @Nullable RdmaEndpoint to;
  int attempt;

  /** When it must have answered; 0 while it was not asked. */
  long deadline;

  /** Beats since it has asked, without an answer. */
  int beatsUnanswered;

  RdmaLink(
      int number,
      RdmaConnection connection,
      Greeting.Request request,
      int peer,
      State state,
      Heartbeat heartbeat) {
    this.number = number;
    this.connection = connection;
    this.request = request;
    this.peer = peer;
    this.state = state;
    this.heartbeat = heartbeat;
  }
}
