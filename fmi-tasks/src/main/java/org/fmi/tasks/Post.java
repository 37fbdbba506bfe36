package org.fmi.tasks;

/** Sends notes to ranks, this one included. Notes from one rank to another arrive in order. */
@FunctionalInterface
interface Post {
  void send(int rank, Note note);
}
