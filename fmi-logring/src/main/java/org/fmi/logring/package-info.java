/**
 * Failure detection and notification over a log-ring overlay (FMI paper, §IV).
 *
 * <p>Rank r has links to r + k<sup>i</sup> and r - k<sup>i</sup> (mod n) for all k<sup>i</sup> &lt;
 * n. The system closes the links of a process that dies; each neighbour then floods a notice, which
 * every rank forwards once. A rank that leaves an epoch says goodbye on its links, so that it is
 * not taken for dead. Heartbeats detect silence.
 *
 * <pre>
 *   frames:  | 1 | epoch | failed rank | hops |   a notice; hops: ranks passed so far
 *            | 2 |                                goodbye
 *
 *   LogRingDetector   runs org.fmi.rules.LogRing            Offer       the addresses of a rank
 *   ---------------------------------------------------
 *   RingLinks         links, and a thread that serves them   TcpLinks    over fmi-net connections
 *                                                           RdmaLinks   over fmi-verbs connections
 *   RdmaDialling      makes links                           RdmaLink    a link
 *   RdmaFrames        frames out and in                     Window      buffers to send into
 *   RdmaLinkTable     links that stand, begin and end
 * </pre>
 */
@NullMarked
package org.fmi.logring;

import org.jspecify.annotations.NullMarked;
