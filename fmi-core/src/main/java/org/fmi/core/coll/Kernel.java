package org.fmi.core.coll;

/**
 * The inner loop of a reduction: {@code inOut[k] = in[k] op inOut[k]} for the elements from {@code
 * from} to before {@code to}. The compiler vectorises such loops only if both arrays are read at
 * the same index: of two indices it does not know whether they ever overlap.
 *
 * @param <A> the type of the arrays
 */
@FunctionalInterface
interface Kernel<A> {
  void apply(A in, A inOut, int from, int to);
}
