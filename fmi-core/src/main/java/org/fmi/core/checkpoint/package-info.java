/**
 * Taking checkpoints: when one is due or asked for, what an image holds, and how all ranks agree
 * that it is complete.
 *
 * <pre>
 *   {@link Checkpoints}          all ranks wait
 *   {@link Overlap}              no rank waits, and messages cross the recovery line
 *   {@link RequestedCheckpoint}  one that somebody has asked for: where all ranks can stop
 *   {@link FileOffer}            which ones are written to files, too
 *   {@link Image}                the layout of what is kept
 * </pre>
 *
 * <h2>Checkpoints that no rank waits for</h2>
 *
 * Follows Schulz, Bronevetsky, Fernandes, Marques, Pingali, Stodghill, "Implementation and
 * evaluation of a scalable application-level checkpoint-recovery scheme for MPI programs".
 *
 * <ul>
 *   <li><b>Recovery lines (2.1)</b>: any rank begins one, and none crosses another one.
 *   <li><b>Late and early messages (2.3)</b>: {@link org.fmi.core.log.InTransitMessages} tells them
 *       apart. Late ones are kept with the image. {@link org.fmi.core.rollback.EarlyMessages} tells
 *       ranks that go back which they must not send.
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
 * <p>docs/papers.md has the figures and numbers, and what differs.
 */
@NullMarked
package org.fmi.core.checkpoint;

import org.fmi.core.state.LoopState;
import org.jspecify.annotations.NullMarked;
