/**
 * One rank's life: its program's calls of loops, the work between two iterations, and the reaction
 * to a failure wherever the program is.
 *
 * <pre>
 *   {@link RankRuntime} ---- {@link Boundaries}: between two iterations   --> org.fmi.core.checkpoint
 *        |
 *        +-------- {@link Recovery}: into an epoch               --> org.fmi.core.epoch, rollback
 * </pre>
 */
@NullMarked
package org.fmi.core.rank;

import org.jspecify.annotations.NullMarked;
