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
 * Transports keep the order of the frames of an ordered pair of ranks, and lose none while the
 * epoch lasts. The kinds of frames are those of {@link FrameKind}; fields not named below are not
 * read.
 *
 * <ol>
 *   <li><b>Messages</b> of a pair are announced in the order they were sent, each by one {@code
 *       EAGER} or {@code RTS} frame with context, tag, length, and a sequence number that counts
 *       the pair's messages from 0. The receiver matches an announcement when it arrives, against
 *       receives in the order they were posted, or keeps it as an <i>unexpected</i> message. So
 *       messages match in the order sent, however they travel. Those of collectives match by that
 *       order alone: their tag is a {@link CollectiveCall}, and a receive of another call than the
 *       message's fails. So does one that is for elements of another type, as its {@link
 *       MessageTag} says. A sender that cannot announce (the transport refuses, or rule 6) queues
 *       the message, and all later ones to that peer behind it.
 *   <li><b>Eager.</b> The announcement carries the whole message. The send is complete when the
 *       transport has taken it.
 *   <li><b>Rendezvous.</b> {@code RTS} carries no data. Once matched, the receiver answers {@code
 *       CTS} with the message's sequence number and, in its length field, how many bytes it wants:
 *       all, or 0 for a message that is empty, or too long for its receive and thus thrown away.
 *       The sender then streams that many bytes in {@code DATA} frames of up to {@link
 *       org.fmi.spi.Transport#maxPayload}, which carry the sequence number too and arrive in order.
 *       Announcements overtake the data of earlier messages. The send is complete when the
 *       transport has taken the last byte and sends it without being called again: all of the
 *       message arrives even if the sender computes for long then. As a {@code CTS} means that the
 *       message has been matched, synchronous sends are those that always go by rendezvous.
 *   <li><b>Reading.</b> If the transport has a {@link org.fmi.spi.RemoteMemory} and the message is
 *       in native memory, the {@code RTS} carries as its payload the ticket that the receiver may
 *       read it with. A receiver that the transport lets read into its buffer, and to which that is
 *       not the slower way ({@link Pace}), reads the message out of the sender's memory, and then
 *       sends a {@code CTS} that wants 0 bytes, by which the send is complete; any other answers as
 *       above, and so does one that finds that it cannot read all of it. When an epoch ends,
 *       reading ends before the program hears of it.
 *   <li><b>Eager window.</b> Each rank may have {@link FlowLimits#windowBytes} of eager messages on
 *       the way to, or unmatched at, another one; a message costs its length and {@link
 *       FlowLimits#MESSAGE_COST}. What has been consumed by receives is given back by {@code
 *       CREDIT} frames (length field), a quarter of the window at a time. A short message without
 *       credit is copied into the {@link SendBuffer}, and its send is complete; without room there
 *       it goes by rendezvous, which makes its sender wait for the receiver. A copy, and a message
 *       that is sent again out of the log, waits for credit, as nobody waits for it: {@code HELD}
 *       tells the receiver so. What that waits for may be such a message, if its calls have had
 *       nothing to do for a while, or no credit was given for long: by {@code ANNOUNCE} some of
 *       them come all the same, by rendezvous, or whole if they are not longer than an announcement
 *       takes memory. Each time that is asked without credit in between, it is twice as many.
 *   <li><b>Announcement window.</b> A rank may have {@link FlowLimits#ANNOUNCEMENTS} unanswered
 *       {@code RTS} at a peer. When a receiver waits for something that none of them is, it allows
 *       as many again by a {@code CREDIT} frame (sequence field): the message it waits for may be
 *       behind them. So what the receiver holds is bounded unless it asks for more itself.
 *   <li><b>Leaving.</b> A rank that waits long for one other rank asks it ({@code ASK}). One that
 *       has left the program's communication answers {@code LEFT}, behind all that it has sent. If
 *       that does not end the wait, nothing will: {@code STUCK} tells the one that has left, so
 *       that it ends with an error instead of both waiting forever.
 *   <li><b>Ledger.</b> {@code LEDGER} frames of the sender's {@link Ledger} go ahead of an {@code
 *       EAGER} or {@code RTS} that is not to arrive without them, and these carry a stamp of its.
 *       Both mean something to the receiver's ledger alone.
 * </ol>
 *
 * <h2>The seam to recovery</h2>
 *
 * The data path knows one thing of recovery, the {@link Ledger} that follows its messages: {@link
 * Ledger#NONE} unless messages are logged or checkpoints overlap. Its hooks stand where each
 * message passes once: {@link Outbox}{@code .sendNow} and what queues and completes a send there;
 * the {@link Mailbox}, where a receive is posted, a message arrives, is kept, matched and
 * delivered; the answers of tests, probes and cancels in {@link Messenger}. What a ledger has to
 * remember of a request or an unexpected message it hangs on that as its {@link Ledger.Tracked}.
 *
 * <p>A program's calls may continue in the next epoch ({@link Messenger#goOn}), if the ledger sends
 * again what was not received. What is under way is given up on both sides: receives stay posted,
 * and sends are complete but for synchronous ones. No frame crosses an epoch.
 *
 * <p>A frame of another epoch is dropped, in {@link Messenger#onFrame} and only there.
 */
@NullMarked
package org.fmi.core.p2p;

import org.jspecify.annotations.NullMarked;
