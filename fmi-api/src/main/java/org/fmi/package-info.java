/**
 * The public API of FMI: an MPI-like interface with one extra call, {@link org.fmi.Fmi#loop}, that
 * makes a program survive the death of processes and nodes.
 *
 * <p>Names and semantics are those of the MPI 4 standard in Java's case. Buffers are passed as
 * {@code Object}: a primitive array ({@code byte[] short[] char[] int[] long[] float[] double[]
 * boolean[]}), a {@link java.nio.ByteBuffer} (heap or direct) or a {@link
 * java.lang.foreign.MemorySegment}. Offsets and counts are in elements for arrays, and in bytes
 * from index 0 for byte buffers and segments, unless a {@link org.fmi.Datatype} is given.
 */
@NullMarked
package org.fmi;

import org.jspecify.annotations.NullMarked;
