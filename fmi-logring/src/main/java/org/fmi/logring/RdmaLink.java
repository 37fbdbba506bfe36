package org.fmi.logring;

import org.fmi.net.Heartbeat;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.RdmaEndpoint;
import org.jspecify.annotations.Nullable;

/** The connection with one neighbour over RDMA, or an attempt to make one. */
final class RdmaLink {
  /** The states of a link. */
  enum State {
    /** The rank has dialled. */
    DIALLING,
    /** The neighbour has dialled and this rank has accepted. */
    ACCEPTED,
    /** Frames may be sent. */
    OPEN,
    /** The link is over. */
    LOST
  }

  /** Its index among all links so far, which is the id of its sends. */
  final int number;

  final RdmaConnection connection;
  final Greeting.Request request;
  final int peer;
  final Window window = new Window();
  State state;
  Heartbeat heartbeat;

  /** Whether the neighbour's silence was reported, and the link kept. */
  boolean silent;

  /** Whether anything was sent since the last beat. */
  boolean wrote;

  // Of a link that this rank dials.
  @Nullable RdmaEndpoint to;
  int attempt;

  /** The deadline for its answer; 0 before the request was sent. */
  long deadline;

  /** The number of beats without an answer. */
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
