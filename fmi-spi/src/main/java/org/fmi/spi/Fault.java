package org.fmi.spi;

/**
 * A failure to inject: when this rank comes to {@code point} (and, in a loop, to {@code
 * iteration}), it tells the job and waits to be killed.
 *
 * @param id names it in the job
 * @param point where
 * @param iteration the loop's iteration; -1 for any, and for points outside a loop
 */
public record Fault(int id, FaultPoint point, long iteration) {}
