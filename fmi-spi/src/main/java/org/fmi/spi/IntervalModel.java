package org.fmi.spi;

/**
 * A model that derives the time between checkpoints from their cost and the mean time between
 * failures.
 */
public enum IntervalModel {
  /** Loses the least time when failures come at a constant rate; solved numerically. */
  VAIDYA,
  /** First order: the square root of twice the cost times the mean time between failures. */
  YOUNG,
  /** Young's, with two further terms of its series. */
  DALY
}
