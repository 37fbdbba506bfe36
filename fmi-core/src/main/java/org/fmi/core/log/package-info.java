/**
 * Message logging and call recording, so that a process can repeat a rank's work after a failure.
 *
 * <p>This package implements two interfaces of the data path: its {@link org.fmi.core.p2p.Ledger},
 * by {@link MessageLedger}, and its {@link org.fmi.core.p2p.PointToPoint} as the program sees it,
 * by {@link Recording}. The data path knows neither.
 *
 * <pre>
 *   Recording --- Recorder        outside of loops: records calls and replays them offline
 *       |    '--- CallObserver    in loops with --check: observes what is sent
 *       v
 *   Messenger, Outbox, Mailbox
 *       |
 *   MessageLedger --+-- MessageLog: copies of sent messages, numbers of received ones
 *                   |     '-- Determinants, UnstableDeterminants: nondeterministic events
 *                   +-- InTransitMessages: messages that cross a recovery line
 * </pre>
 *
 * <h2>Message log</h2>
 *
 * With {@code --rollback local} only failed ranks roll back; the others continue. The log follows
 * Losada et al., "Local rollback for resilient MPI applications with application-level
 * checkpointing and message logging":
 *
 * <ul>
 *   <li>Section 5.1: the sender keeps a copy of each message in its own volatile memory ({@link
 *       LogMemory}). A sender that fails loses the copies and recreates them as it repeats its
 *       iterations. {@link Determinants} are the paper's nondeterministic events: receives from any
 *       source, probes, tests. The paper logs them to stable storage; here a rank piggybacks them
 *       on the messages that may depend on them ({@link UnstableDeterminants}). The paper copies
 *       while the network works; here the copy comes first.
 *   <li>Section 5.2 is not followed: collectives are logged as the messages that they consist of.
 *   <li>Section 5.3: {@link MessageLog#reachLine} and {@link MessageLog#cut} drop the messages sent
 *       before a checkpoint.
 *   <li>Section 6: receives stay posted. Sends are complete because the log has their data, except
 *       synchronous sends.
 *   <li>Section 7.1: the paper sends a number with each message, and stores the highest received
 *       number and the gaps below it. Here a pair's messages are announced in order, so numbers are
 *       implicit; {@link ReceivedFrom} has a bit per message.
 *   <li>Section 7.2: ranks exchange {@link MessageLog#received} and apply it with {@link
 *       MessageLog#receivedByPeer}.
 * </ul>
 *
 * <h2>Asynchronous recovery lines</h2>
 *
 * With {@code --checkpoint overlapped} each announcement carries the recovery line that its sender
 * had reached when the program sent the message. {@link InTransitMessages} derives from it which
 * messages belong to a checkpoint, as in section 3 of Schulz et al., "Implementation and evaluation
 * of a scalable application-level checkpoint-recovery scheme for MPI programs".
 *
 * <p>The layouts of a checkpoint's sections beside the state are also here: {@link
 * UnexpectedImage}, {@link InTransitImage}, the image of the {@link Recorder}, and requests that
 * are part of the state ({@link StateRequests}). The packages {@code org.fmi.core.checkpoint} and
 * {@code rollback} decide whether and when to use them.
 */
@NullMarked
package org.fmi.core.log;

import org.jspecify.annotations.NullMarked;
