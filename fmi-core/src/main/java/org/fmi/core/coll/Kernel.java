package org.fmi.core.coll;

/**
 * The inner loop of a reduction: {@code inOut[k] = in[k] op inOut[k]} for the elements from {@code
 * from}, inclusive, to {@code to}, exclusive. The compiler vectorises such loops only if both
 * arrays are read at the same index: with two indices it cannot rule out that they overlap.
 *
 * <p>Java has no generics over primitive types, so there is a class of loops per type, such as
 * {@link IntKernels}. The build generates them from one template, {@code
 * src/build/GenerateKernels.java}.
 *
 * @param <A> the type of the arrays
 */
@FunctionalInterface
interface Kernel<A> {
  void apply(A in, A inOut, int from, int to);
}
