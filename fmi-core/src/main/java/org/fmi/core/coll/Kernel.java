package org.fmi.core.coll;

/**
 * The inner loop of a reduction: {@code inOut[j + k] = in[i + k] op inOut[j + k]} for {@code count}
 * elements.
 *
 * @param <A> the type of the arrays
 */
@FunctionalInterface
interface Kernel<A> {
  void apply(A in, int i, A inOut, int j, int count);
}
