package org.fmi.examples.kmeans;

import java.util.SplittableRandom;
import org.fmi.examples.Share;

/**
 * A part of the points: whole numbers, so that their sums are exact in any order. Each point
 * follows from its number and a seed, on any rank.
 *
 * @param dimensions how many coordinates a point has
 * @param coordinates one point after the other
 */
record Points(int dimensions, int[] coordinates) {
  private static final int SIDE = 1_000_000;
  private static final int SPREAD = 150_000;

  /** Points around as many centres as there will be clusters; these are drawn first. */
  static Points draw(Share share, int dimensions, int clusters, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] centres = random.ints((long) clusters * dimensions, 0, SIDE).toArray();
    Points points = new Points(dimensions, new int[share.count() * dimensions]);
    for (int i = 0; i < share.count(); i++) {
      SplittableRandom own = new SplittableRandom(((long) seed << 32) + share.first() + i);
      int centre = own.nextInt(clusters);
      for (int d = 0; d < dimensions; d++) {
        int away = own.nextInt(-SPREAD, SPREAD) + own.nextInt(-SPREAD, SPREAD);
        points.coordinates[i * dimensions + d] = centres[centre * dimensions + d] + away;
      }
    }
    return points;
  }

  int count() {
    return coordinates.length / dimensions;
  }
}
