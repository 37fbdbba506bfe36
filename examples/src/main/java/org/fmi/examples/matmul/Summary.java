package org.fmi.examples.matmul;

import java.io.Serializable;

/**
 * A block of the product, or all of it, in short.
 *
 * @param checksum of its entries
 * @param weighted the weighted sum of them
 */
record Summary(double checksum, double weighted) implements Serializable {}
