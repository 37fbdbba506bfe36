/**
 * Rollback: which checkpoint is restored and how, and which ranks continue meanwhile.
 *
 * <pre>
 *   {@link Restorer}       restores a checkpoint            on all ranks, or on the failed ones
 *   {@link LocalRollback}  lets a rank continue             only failed ranks roll back
 *   {@link FlowRollback}   has ranks recompute lost parts   along a flow of data
 * </pre>
 *
 * <h2>Local rollback</h2>
 *
 * Follows Losada, Bosilca, Bouteiller, González, Martín, "Local rollback for resilient MPI
 * applications with application-level checkpointing and message logging". The numbers are its
 * sections.
 *
 * <ul>
 *   <li><b>Two phases (4)</b>: {@link Lifecycle} recovers processes, {@link LocalRollback}
 *       consistency. The paper creates new communicators on all ranks; here each epoch has new
 *       transports, and communicators keep their ids.
 *   <li><b>Message log (5.1)</b>: the {@link org.fmi.core.log.MessageLog} of the sender.
 *   <li><b>Event log (5.1)</b>: determinants are stable, or held by every rank that depends on
 *       them, as the paper requires. Its event logger is the job here: {@link LocalRollback#chose}.
 *   <li><b>Collectives (5.2)</b> are not logged as calls, but as the messages that they consist of.
 *       So survivors take no part in calls that are repeated.
 *   <li><b>Log size (5.3)</b>: a checkpoint cuts the log. The paper keeps the logs of the last l
 *       checkpoints, as its processes do not agree on a commit; here one log is enough. {@link
 *       LogLimit} bounds the log, which the paper does not.
 *   <li><b>Interrupted calls (6)</b> are not posted again: {@link
 *       org.fmi.core.p2p.Messenger#resume} keeps their requests.
 *   <li><b>Received messages (7.1)</b> and <b>resent messages (7.2)</b>: {@link
 *       LocalRollback#begin}. Ranks report to each other which messages they have received;
 *       survivors resend the missing ones from their logs, and failed ranks leave out the received
 *       ones. {@link Standstill} is not in the paper.
 * </ul>
 *
 * <p>docs/papers.md has the figures and numbers, and the differences.
 */
@NullMarked
package org.fmi.core.rollback;

import org.fmi.core.epoch.Lifecycle;
import org.jspecify.annotations.NullMarked;
