package org.fmi.spi;

/**
 * A failure to inject: a rank that reaches {@code point} (and, in a loop, {@code iteration})
 * reports it to the job and waits to be killed.
 *
 * @param id its number in the job
 * @param point the place
 * @param iteration the loop's iteration; -1 for any, and for points outside of loops
 */
public record Fault(int id, FaultPoint point, long iteration) {}
