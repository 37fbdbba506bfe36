package org.fmi.ckpt.files;

import org.fmi.spi.CheckpointId;

/**
 * One image in the file of a node.
 *
 * @param rank whose it is
 * @param at where it begins
 * @param bytes its size
 * @param digest CRC32C of the checksums of its blocks
 */
public record NodeFileEntry(int rank, CheckpointId id, long at, long bytes, int digest) {}
