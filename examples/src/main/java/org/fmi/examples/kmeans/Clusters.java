package org.fmi.examples.kmeans;

import java.util.Arrays;

/** Divides points among clusters, by the nearest centre, and moves each centre to their mean. */
final class Clusters {
  private final Points points;
  private final int dimensions;

  /** The coordinates of the centres, one centre after the other. */
  final double[] centres;

  /** The cluster of each point; none is in one at the start. */
  final int[] nearest;

  /**
   * Sums over all points: for each cluster the sum of each coordinate and the number of points; at
   * the end the number of points that changed their cluster.
   */
  final long[] sums;

  /** Begins with clusters around the points of {@code first}. */
  Clusters(Points points, Points first) {
    this.points = points;
    dimensions = points.dimensions();
    centres = Arrays.stream(first.coordinates()).asDoubleStream().toArray();
    nearest = new int[points.count()];
    Arrays.fill(nearest, -1);
    sums = new long[first.count() * (dimensions + 1) + 1];
  }

  /** Finds the nearest centre of each point, and adds the points up. */
  void assign() {
    Arrays.fill(sums, 0);
    for (int i = 0; i < nearest.length; i++) {
      int cluster = nearestTo(i);
      int at = cluster * (dimensions + 1);
      for (int d = 0; d < dimensions; d++) {
        sums[at + d] += points.coordinates()[i * dimensions + d];
      }
      sums[at + dimensions]++;
      if (cluster != nearest[i]) {
        nearest[i] = cluster;
        sums[sums.length - 1]++;
      }
    }
  }

  private int nearestTo(int point) {
    int best = 0;
    double shortest = Double.POSITIVE_INFINITY;
    for (int c = 0; c < centres.length / dimensions; c++) {
      double square = 0;
      for (int d = 0; d < dimensions; d++) {
        double away = points.coordinates()[point * dimensions + d] - centres[c * dimensions + d];
        square += away * away;
      }
      if (square < shortest) {
        shortest = square;
        best = c;
      }
    }
    return best;
  }

  /**
   * Moves the centres to the means of all points, whose {@link #sums} these are now.
   *
   * @return whether a point has changed its cluster, so that another iteration is needed
   */
  boolean move() {
    for (int c = 0; c < centres.length / dimensions; c++) {
      int at = c * (dimensions + 1);
      long count = sums[at + dimensions];
      for (int d = 0; d < dimensions && count > 0; d++) {
        centres[c * dimensions + d] = (double) sums[at + d] / count;
      }
    }
    return sums[sums.length - 1] > 0;
  }
}
