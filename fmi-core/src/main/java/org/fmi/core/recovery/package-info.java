/**
 * The recovery path: the life of a rank, its loop, checkpoints, and what happens after a failure.
 *
 * <pre>
 *            RankRuntime: the program's calls, and what a failure means where it stands
 *                 |
 *   Lifecycle ----+---- Boundaries: between two iterations, and at the end of the loop
 *   H1, H2        |          |
 *                 |          +--> Checkpoints: all ranks wait
 *                 |          +--> Overlap: nobody waits
 *                 v
 *             Recovery: into an epoch
 *                 +--> Restoration: what to go back to; brings it back      all go back
 *                 +--> LocalRollback: who goes on, what is sent again       only failed ranks do
 *                 +--> FlowRollback: who computes for those that are lost   along a flow of data
 * </pre>
 *
 * <h2>Only failed ranks go back</h2>
 *
 * Follows Losada, Bosilca, Bouteiller, González, Martín, "Local rollback for resilient MPI
 * applications with application-level checkpointing and message logging". The numbers are its
 * sections.
 *
 * <ul>
 *   <li><b>Two phases (4)</b>: processes are recovered by {@link Lifecycle}, consistency by {@link
 *       LocalRollback}. The paper makes new communicators on all ranks; here transports are new in
 *       each epoch, and communicators keep their ids.
 *   <li><b>The log of messages (5.1)</b> is the {@link org.fmi.core.p2p.MessageLog} of the sender.
 *   <li><b>Events (5.1)</b>: what is decided by the order of messages is kept elsewhere before
 *       anything that depends on it leaves the rank, as in the paper. Its event logger is the job
 *       here: {@link LocalRollback#chose}.
 *   <li><b>Collectives (5.2)</b> are not logged as calls, but as the messages that they are made
 *       of. So survivors do not take part in calls that are repeated.
 *   <li><b>The size of the log (5.3)</b>: a checkpoint cuts it. The paper keeps the logs of the
 *       last l checkpoints, as its processes do not agree on a commit; here one is enough. {@link
 *       LogRoom} bounds it, of which the paper has nothing.
 *   <li><b>Interrupted calls (6)</b> are not posted again: {@link org.fmi.core.p2p.Messenger#goOn}
 *       keeps their requests.
 *   <li><b>What has come (7.1)</b> and <b>what is sent again (7.2)</b>: {@link
 *       LocalRollback#begin}. Ranks tell each other which messages of a pair they have; survivors
 *       send the others out of their logs, and failed ranks leave out what has come. {@link
 *       Standstill} is not of the paper.
 * </ul>
 *
 * <h2>Checkpoints that nobody waits for</h2>
 *
 * Follows Schulz, Bronevetsky, Fernandes, Marques, Pingali, Stodghill, "Implementation and
 * evaluation of a scalable application-level checkpoint-recovery scheme for MPI programs".
 *
 * <ul>
 *   <li><b>Recovery lines (2.1)</b>: any rank begins one, and none crosses another one.
 *   <li><b>Late and early messages (2.3)</b>: {@link org.fmi.core.p2p.LineMessages} tells them
 *       apart. Late ones are kept with the image. {@link EarlyMessages} tells ranks that go back
 *       which they must not send.
 *   <li><b>Modes (3.1)</b>: the phases of {@link Overlap}. NonDet-Log is STARTING, in which
 *       decisions are recorded; RecvOnly-Log is COLLECTING. CLOSING, PROTECTING and COMMITTING are
 *       behind that: the paper writes to a disk of its own node, here groups compute a code, and
 *       all agree.
 *   <li><b>Sent-Count (3.1)</b>: {@link BackgroundReduce} adds up how many messages each rank has
 *       to wait for.
 *   <li><b>Piggybacked bits (3.2)</b>: the field {@link org.fmi.wire.FrameLayout#LOOP}.
 *   <li><b>Requests (4.1)</b>: {@link ActiveRequests}, as far as the program has them in its state.
 *   <li><b>Collectives (4.3)</b>: the paper keeps native calls, and has a rule for reductions. Here
 *       their messages are late or early like all others.
 *   <li><b>Communicators (4.4)</b>, which the paper leaves open, are part of an image by their ids.
 *   <li><b>State (5)</b>: the program registers it ({@link LoopState}), no precompiler does.
 * </ul>
 *
 * <p>docs/papers.md has the figures and numbers of both, and what differs.
 */
@NullMarked
package org.fmi.core.recovery;

import org.fmi.core.state.LoopState;
import org.jspecify.annotations.NullMarked;
