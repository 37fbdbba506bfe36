/**
 * Task graphs: tasks with results, which the ranks of a job compute in parallel, and compute again
 * when a rank is lost that held them.
 *
 * <pre>
 *   Tasks.run ---- a loop of rounds, one Round each
 *                    |
 *                  Round        moves notes, and runs tasks
 *                   |   |
 *                Head   Worker  pure: who computes what; what a rank holds, fetches and computes
 *                   |
 *              RestartSet, Dag  which tasks have to run
 * </pre>
 */
@NullMarked
package org.fmi.tasks;

import org.jspecify.annotations.NullMarked;
