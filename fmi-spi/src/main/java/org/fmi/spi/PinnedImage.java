package org.fmi.spi;

/**
 * A complete image that others may read as long as they like, even if its rank goes on or dies; and
 * what to compare it with, as it is protected from nothing but its rank.
 *
 * @param piece name of the piece of node memory that holds it
 * @param at where it begins in that piece
 * @param bytes its size
 * @param lengths of its blocks, one after the other; the last one may reach beyond the image
 * @param sums CRC32C of each block
 */
public record PinnedImage(
    CheckpointId id, String piece, long at, long bytes, int[] lengths, int[] sums) {}
