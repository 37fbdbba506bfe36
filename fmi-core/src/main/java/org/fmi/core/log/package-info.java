/**
 * What is kept of a rank's messages and calls, so that they can be repeated after a failure.
 *
 * <p>Two things of the data path are implemented here: its {@link org.fmi.core.p2p.Ledger}, by
 * {@link MessageLedger}, and its {@link org.fmi.core.p2p.PointToPoint} as the program sees it, by
 * {@link Recording}. The data path knows neither.
 *
 * <pre>
 *   Recording --- Recorder        outside of loops: calls are recorded, and replayed alone
 *       |    '--- CallObserver    in loops with --check: sees what is sent
 *       v
 *   Messenger, Outbox, Mailbox
 *       |
 *   MessageLedger --+-- MessageLog: copies of what was sent, numbers of what was received
 *                   |     '-- Determinants, UnstableDeterminants: what was decided by time
 *                   +-- InTransitMessages: what crosses a recovery line
 * </pre>
 *
 * <h2>A log of messages</h2>
 *
 * With {@code --rollback local} only failed ranks roll back; the others continue. The log follows
 * Losada et al., "Local rollback for resilient MPI applications with application-level
 * checkpointing and message logging":
 *
 * <ul>
 *   <li>Section 5.1: the sender keeps a copy of each message in memory that is lost with it ({@link
 *       LogMemory}), and makes it again as it repeats its iterations. {@link Determinants} are the
 *       paper's non-deterministic events: receives from any source, probes, tests; they are sent
 *       ahead of what depends on them ({@link UnstableDeterminants}), where the paper logs them
 *       stably. The paper copies while the network works; here the copy comes first.
 *   <li>Section 5.2 is not followed: collectives are logged as the messages that they consist of.
 *   <li>Section 5.3: {@link MessageLog#line} and {@link MessageLog#cut} forget what was sent before
 *       a checkpoint.
 *   <li>Section 6: receives stay posted, and sends are complete, as the log has them, but for
 *       synchronous ones.
 *   <li>Section 7.1: the paper sends a number with each message, and keeps the highest that was
 *       received and the ranges that were not. Here the messages of a pair are announced in order,
 *       so that numbers need not be sent; {@link ReceivedFrom} has a bit for each.
 *   <li>Section 7.2: {@link MessageLog#received} and {@link MessageLog#receivedThere} are what
 *       ranks tell each other.
 * </ul>
 *
 * <h2>Recovery lines that no rank waits for</h2>
 *
 * With {@code --checkpoint overlapped} an announcement carries the line that its sender had come to
 * when the program sent it: {@link InTransitMessages} says which messages belong to a checkpoint,
 * as in section 3 of Schulz et al., "Implementation and evaluation of a scalable application-level
 * checkpoint-recovery scheme for MPI programs".
 *
 * <p>What a checkpoint holds beside the state is laid out here too: {@link UnexpectedImage}, {@link
 * InTransitImage}, the image of the {@link Recorder}, and requests that are state ({@link
 * KeptRequests}). Whether and when all of this is used is decided in {@code
 * org.fmi.core.checkpoint} and {@code rollback}.
 */
@NullMarked
package org.fmi.core.log;

import org.jspecify.annotations.NullMarked;
