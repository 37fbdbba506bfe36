/**
 * The level-1 checkpoint store: images in node memory, protected by parity over groups of ranks on
 * different nodes: a linear code, whose first sum is XOR.
 *
 * <pre>
 *   XorStore              which piece holds which checkpoint; protect and rebuild, step by step
 *     GroupExchange       small agreements of the group
 *     Unchanged           which rows keep the code that their piece has
 *     Gather              who sends which block to whom: parity, or what lost members held
 *       Stripes           which chunks belong together
 *       Erasures, Sums    how missing chunks follow from the others, in the Field of bytes
 *   StoredCheckpoint      blocks of one checkpoint: their checksums
 *     PieceLayout, CheckpointHeader   what lies where in a piece
 * </pre>
 */
@NullMarked
package org.fmi.ckpt.xor;

import org.jspecify.annotations.NullMarked;
