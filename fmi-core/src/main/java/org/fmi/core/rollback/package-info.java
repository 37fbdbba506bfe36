/**
 * Rolling back: which checkpoint is restored and how, and who continues meanwhile.
 *
 * <pre>
 *   {@link Restorer}       restores a checkpoint            on all ranks, or on those that failed
 *   {@link LocalRollback}  lets a rank continue             only failed ranks roll back
 *   {@link FlowRollback}   who computes for the lost ones   along a flow of data
 * </pre>
 *
 * <h2>Only failed ranks roll back</h2>
 *
 * Follows Losada, Bosilca, Bouteiller, González, Martín, "Local rollback for resilient MPI
 * applications with application-level checkpointing and message logging". The numbers are its
 * sections.
 *
 * <ul>
 *   <li><b>Two phases (4)</b>: processes are recovered by {@link Lifecycle}, consistency by {@link
 *       LocalRollback}. The paper makes new communicators on all ranks; here transports are new in
 *       each epoch, and communicators keep their ids.
 *   <li><b>The log of messages (5.1)</b> is the {@link org.fmi.core.log.MessageLog} of the sender.
 *   <li><b>Events (5.1)</b>: what is decided by the order of messages is kept elsewhere before
 *       anything that depends on it leaves the rank, as in the paper. Its event logger is the job
 *       here: {@link LocalRollback#chose}.
 *   <li><b>Collectives (5.2)</b> are not logged as calls, but as the messages that they are made
 *       of. So survivors do not take part in calls that are repeated.
 *   <li><b>The size of the log (5.3)</b>: a checkpoint cuts it. The paper keeps the logs of the
 *       last l checkpoints, as its processes do not agree on a commit; here one is enough. {@link
 *       LogRoom} bounds it, of which the paper has nothing.
 *   <li><b>Interrupted calls (6)</b> are not posted again: {@link org.fmi.core.p2p.Messenger#resume}
 *       keeps their requests.
 *   <li><b>What has come (7.1)</b> and <b>what is sent again (7.2)</b>: {@link
 *       LocalRollback#begin}. Ranks tell each other which messages of a pair they have; survivors
 *       send the others out of their logs, and failed ranks leave out what has come. {@link
 *       Standstill} is not of the paper.
 * </ul>
 *
 * <p>docs/papers.md has the figures and numbers, and what differs.
 */
@NullMarked
package org.fmi.core.rollback;

import org.fmi.core.epoch.Lifecycle;
import org.jspecify.annotations.NullMarked;
