package org.fmi.ckpt.files;

import org.fmi.spi.CheckpointId;

/**
 * An image in the file of a node.
 *
 * @param rank the image's rank
 * @param at its offset in the file
 * @param bytes its size
 * @param digest the CRC32C of its blocks' checksums
 */
public record NodeFileEntry(int rank, CheckpointId id, long at, long bytes, int digest) {}
