package org.fmi.testkit;

import org.fmi.control.RankMessage;

/** Does nothing about what it hears. */
class QuietSupervisor implements Supervisor {
  @Override
  public void onNodeUp(int node) {}

  @Override
  public void onNodeLost(int node, String reason) {}

  @Override
  public void onRankMessage(int rank, int incarnation, RankMessage message) {}

  @Override
  public void onRankExited(int node, int rank, int incarnation, int status, boolean signaled) {}

  @Override
  public void onRankDying(int rank, int incarnation) {}

  @Override
  public void onRankSilent(int rank, int incarnation) {}
}
