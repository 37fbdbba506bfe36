package org.fmi.job;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;

/**
 * Counts how often a decision maker looks at a node or rank: what an event costs, on any machine.
 */
public final class Looks {
  private long count;

  /** Those since this was asked the last time. */
  public long take() {
    long taken = count;
    count = 0;
    return taken;
  }

  /** An empty list; whoever gets an element of it looks at one. */
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
