/**
 * The data path: matching, eager and rendezvous protocols, flow control.
 *
 * <pre>
 *   send --> Messenger --> Outbox --+--> Peer --> Transport.offer
 *                |            |     +--> SelfSends
 *                |          Ledger          v
 *   recv --------+----------- | ---------> Mailbox &lt;-- Messenger.onFrame &lt;-- Transport.poll
 *                |            +---------------+
 *              Waits: polls, lets the peers of the SendList send, sleeps
 * </pre>
 *
 * <h2>The protocol between two ranks</h2>
 *
 * Transports preserve the order of the frames of an ordered pair of ranks, and lose none while the
 * epoch lasts. {@link FrameKind} lists the kinds of frames; fields not named below are not read.
 *
 * <ol>
 *   <li><b>Messages</b> of a pair are announced in the order they were sent, each by one {@code
 *       EAGER} or {@code RTS} frame with context, tag, length, and a sequence number that counts
 *       the pair's messages from 0. The receiver matches an announcement when it arrives, against
 *       receives in the order they were posted, or stores it as an <i>unexpected</i> message. So
 *       messages match in the order sent, by whichever path they travel. Messages of collectives
 *       match by this order alone: their tag is a {@link CollectiveCall}, and a receive of another
 *       call than the message's fails. A receive for elements of another type, as the {@link
 *       MessageTag} states, fails too. A sender that cannot announce (the transport refuses, or
 *       rule 6) queues the message, and all later ones to that peer after it.
 *   <li><b>Eager.</b> The announcement carries the whole message. The send is complete when the
 *       transport has taken it.
 *   <li><b>Rendezvous.</b> {@code RTS} carries no data. After the match, the receiver answers
 *       {@code CTS} with the message's sequence number and, in its length field, the number of
 *       bytes it wants: all, or 0 for a message that is empty, or too long for its receive and
 *       dropped. The sender then streams these bytes in {@code DATA} frames of up to {@link
 *       org.fmi.spi.Transport#maxPayload}, which carry the sequence number too and arrive in order.
 *       Announcements overtake the data of earlier messages. The send is complete when the
 *       transport has taken the last byte and sends it without another call: the whole message
 *       arrives even if the sender then computes for a long time. As a {@code CTS} means that the
 *       message has been matched, synchronous sends are those that always use rendezvous.
 *   <li><b>Reading.</b> If the transport has a {@link org.fmi.spi.RemoteMemory} and the message is
 *       in native memory, the payload of the {@code RTS} is a ticket by which the receiver may read
 *       it. A receiver reads the message from the sender's memory if the transport can read into
 *       its buffer, and if reading is not slower there ({@link Pace}). It then sends a {@code CTS}
 *       that wants 0 bytes, which completes the send. Any other receiver answers as above, and so
 *       does one whose read cannot be completed. When an epoch ends, reading ends before the
 *       program learns of it.
 *   <li><b>Eager window.</b> Each rank may have {@link FlowLimits#windowBytes} of eager messages in
 *       transit to, or unmatched at, another rank; a message costs its length and {@link
 *       FlowLimits#MESSAGE_COST}. {@code CREDIT} frames (length field) return the window as
 *       receives consume messages, a quarter at a time. A short message without credit is copied
 *       into the {@link SendBuffer}, and its send is complete; without room there it uses
 *       rendezvous, which makes its sender wait for the receiver. A copy, or a message resent from
 *       the log, waits for credit, as no call waits for it, and {@code HELD} reports this to the
 *       receiver. The receiver may itself be waiting for such a message: if its calls have been
 *       idle for a while, or it has given no credit for long, it sends {@code ANNOUNCE}. The sender
 *       then sends some of these messages without credit, by rendezvous, or whole if they are no
 *       longer than an announcement's memory. Each {@code ANNOUNCE} without credit in between
 *       doubles their number.
 *   <li><b>Announcement window.</b> A rank may have {@link FlowLimits#ANNOUNCEMENTS} unanswered
 *       {@code RTS} at a peer. When a receiver waits for a message that is not among them, it
 *       allows as many again by a {@code CREDIT} frame (sequence field), as its message may be
 *       queued after them. So the receiver's memory is bounded unless it asks for more itself.
 *   <li><b>Leaving.</b> A rank that waits long for one other rank sends it {@code ASK}. A rank that
 *       has left the program's communication answers {@code LEFT}, after everything it has sent. If
 *       this does not end the wait, nothing will: {@code STUCK} notifies the rank that has left, so
 *       that it ends with an error instead of both ranks waiting forever.
 *   <li><b>Ledger.</b> {@code LEDGER} frames of the sender's {@link Ledger} precede an {@code
 *       EAGER} or {@code RTS} frame that must not arrive without them, and these frames carry its
 *       stamp. Only the receiver's ledger interprets both.
 * </ol>
 *
 * <h2>The seam to recovery</h2>
 *
 * The data path's only view of recovery is the {@link Ledger} that tracks its messages: {@link
 * Ledger#NONE} unless messages are logged or checkpoints are asynchronous. Its hooks are at the
 * places that each message passes once: {@link Outbox}{@code .sendNow} and the queueing and
 * completion of sends there; the {@link Mailbox}, where a receive is posted, and a message arrives,
 * is queued, matched and delivered; and the answers of tests, probes and cancels in {@link
 * Messenger}. A ledger attaches its state of a request or an unexpected message as a {@link
 * Ledger.Tracked}.
 *
 * <p>A program's calls may continue in the next epoch ({@link Messenger#resume}) if the ledger
 * resends messages that were not received. Transfers in progress are abandoned on both sides:
 * receives stay posted, and sends are complete except for synchronous ones. No frame crosses an
 * epoch.
 *
 * <h2>Ranks that die, in a job that continues without them</h2>
 *
 * {@link Losses} knows the dead. A death, or the revocation of a communicator, is news that the
 * next check of the {@link Epoch} attends to: first what has arrived is taken in, then all requests
 * end that need the dead rank, and frames from it are dropped. Contexts end that nothing can be
 * awaited in: the collectives of a communicator with a dead member, and both contexts of a revoked
 * one. The protocol with each living peer continues there: sends that were announced continue as
 * copies, receives whose data is in transit drop it, and what is announced later is answered by a
 * {@code CTS} that wants 0 bytes, or {@link ClearQueue#REVOKED} if a program's send waits for it.
 *
 * <p>{@link Messenger#onFrame} drops frames of other epochs, and no other place does.
 */
@NullMarked
package org.fmi.core.p2p;

import org.jspecify.annotations.NullMarked;
