/**
 * The level-1 checkpoint store: images in node memory, protected by XOR parity over groups of ranks
 * on different nodes.
 *
 * <pre>
 *   XorStore              which piece holds which checkpoint; protect and rebuild, step by step
 *     RingEncoder         parity, while all members hold their image
 *     ChainDecoder        a lost member's image and parity, from those of the others
 *     GroupExchange       small agreements of the group
 *   StoredCheckpoint      blocks of one checkpoint: their checksums, their XOR
 *     PieceLayout, CheckpointHeader   what lies where in a piece
 * </pre>
 */
@NullMarked
package org.fmi.ckpt.xor;

import org.jspecify.annotations.NullMarked;
