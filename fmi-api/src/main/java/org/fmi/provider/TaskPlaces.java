package org.fmi.provider;

/** A runtime in which tests can kill a rank at one of its tasks. */
public interface TaskPlaces {
  /**
   * Announces that this rank is about to begin a task. Does not return if it is to die here.
   *
   * @param task the task's number, from 0 on
   */
  void beforeTask(int task);
}
