package org.fmi.spi;

/**
 * A complete image that other processes may read at any time, even while its rank continues or
 * after it died; and the checksums to compare it with, as it is protected only from its rank.
 *
 * @param piece the name of its piece of node memory
 * @param at its offset in that piece
 * @param bytes its size
 * @param lengths the lengths of its blocks, in order; the last block may reach beyond the image
 * @param sums the CRC32C of each block
 */
public record PinnedImage(
    CheckpointId id, String piece, long at, long bytes, int[] lengths, int[] sums) {}
