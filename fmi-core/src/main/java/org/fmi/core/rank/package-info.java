/**
 * One rank's life: its program's calls of loops, what lies between two iterations, and what a
 * failure means at the place where the program stands.
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
