/**
 * Taking checkpoints: when one is due or requested, what an image holds, and how all ranks agree
 * that it is complete.
 *
 * <pre>
 *   {@link Checkpoints}          blocking checkpoints: all ranks wait
 *   {@link Overlap}              asynchronous checkpoints: messages cross the recovery line
 *   {@link RequestedCheckpoint}  requested checkpoints: a place where all ranks can stop
 *   {@link FileOffer}            selection of the checkpoints to write to files
 *   {@link Image}                the layout of an image
 * </pre>
 *
 * <h2>Asynchronous checkpoints</h2>
 *
 * Follows Schulz, Bronevetsky, Fernandes, Marques, Pingali, Stodghill, "Implementation and
 * evaluation of a scalable application-level checkpoint-recovery scheme for MPI programs".
 *
 * <ul>
 *   <li><b>Recovery lines (2.1)</b>: any rank begins one, and no two cross.
 *   <li><b>Late and early messages (2.3)</b>: {@link org.fmi.core.log.InTransitMessages} tells them
 *       apart. Late messages are saved with the image. {@link org.fmi.core.rollback.EarlyMessages}
 *       reports to ranks that roll back which messages they must not send again.
 *   <li><b>Modes (3.1)</b>: the phases of {@link Overlap}. NonDet-Log is STARTING, in which
 *       determinants are recorded; RecvOnly-Log is COLLECTING. CLOSING, PROTECTING and COMMITTING
 *       follow: the paper writes to each node's disk, here groups compute a code, and all ranks
 *       agree.
 *   <li><b>Sent-Count (3.1)</b>: {@link BackgroundReduce} adds up how many messages each rank has
 *       to wait for.
 *   <li><b>Piggybacked bits (3.2)</b>: the field {@link org.fmi.wire.FrameLayout#LOOP}.
 *   <li><b>Requests (4.1)</b>: {@link ActiveRequests}, for requests in the program's state.
 *   <li><b>Collectives (4.3)</b>: the paper keeps native calls, and has a rule for reductions. Here
 *       their messages are late or early like all others.
 *   <li><b>Communicators (4.4)</b>, which the paper leaves open, are part of an image by their ids.
 *   <li><b>State (5)</b>: the program registers it ({@link LoopState}); there is no precompiler.
 * </ul>
 *
 * <p>docs/papers.md has the figures and numbers, and the differences.
 */
@NullMarked
package org.fmi.core.checkpoint;

import org.fmi.core.state.LoopState;
import org.jspecify.annotations.NullMarked;
