package org.fmi.job;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;

/**
 * Counts the accesses of a decision maker to nodes and ranks: the cost of an event, independent of
 * the machine.
 */
public final class AccessCounter {
  private long count;

  /** Returns the accesses since the last call. */
  public long take() {
    long taken = count;
    count = 0;
    return taken;
  }

  /** Returns an empty list that counts each access to an element. */
  <T> List<T> list() {
    return new Watched<>();
  }

  private final class Watched<T> extends AbstractList<T> implements RandomAccess {
    private final List<T> elements = new ArrayList<>();

    @Override
    public T get(int index) {
      count++;
      return elements.get(index);
    }

    @Override
    public int size() {
      return elements.size();
    }

    @Override
    public boolean add(T element) {
      return elements.add(element);
    }
  }
}
