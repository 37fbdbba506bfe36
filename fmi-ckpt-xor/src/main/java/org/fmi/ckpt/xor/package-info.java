/**
 * The level-1 checkpoint store: images in node memory, protected by parity over groups of ranks on
 * different nodes. The parity is a linear code whose first sum is XOR.
 *
 * <pre>
 *   XorStore              the checkpoint in each piece; protect and rebuild, step by step
 *     GroupExchange       small agreements of the group
 *     Unchanged           rows whose code in their piece is still right
 *     Gather              the transfers and sums of parity, or of lost parts
 *       Stripes           the chunks that belong together
 *       Erasures, Sums    missing chunks from the other chunks, in the Field of bytes
 *   StoredCheckpoint      blocks of one checkpoint: their checksums
 *     PieceLayout, CheckpointHeader   the layout of a piece
 * </pre>
 */
@NullMarked
package org.fmi.ckpt.xor;

import org.jspecify.annotations.NullMarked;
