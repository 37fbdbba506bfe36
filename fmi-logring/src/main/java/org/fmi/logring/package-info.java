/**
 * Failure detection and notification over an overlay of links: a log-ring (FMI paper, §IV) or a
 * ring of heartbeats (OCFTL paper, §4.1).
 *
 * <p>In the log-ring, rank r has links to r + k<sup>i</sup> and r - k<sup>i</sup> (mod n) for all
 * k<sup>i</sup> &lt; n, and watches all its neighbours; in the heart ring it watches the one before
 * it. The system closes the links of a process that dies; each neighbour then sends a notice, which
 * every rank sends on once. A rank that leaves an epoch says goodbye on its links, so that it is
 * not taken for dead. Heartbeats detect silence.
 *
 * <pre>
 *   frames:  | 1 | epoch | failed rank | hops |   a notice; hops: ranks passed so far
 *            | 2 |                                goodbye
 *            | 3 |                                heart ring: I observe you from now on
 *            | 4 |                                heart ring: a heartbeat
 *
 *   LogRingDetector     runs org.fmi.rules.LogRing          Offer       the addresses of a rank
 *   HeartRingDetector   runs org.fmi.rules.HeartRing
 *   RingDetector        what both have in common
 *   ---------------------------------------------------
 *   RingLinks         links, and a thread that serves them   TcpLinks    over fmi-net connections
 *   HeartLinks        links that keep time                  RdmaLinks   over fmi-verbs connections
 *   RdmaDialling      makes links                           RdmaLink    a link
 *   RdmaFrames        frames out and in                     Window      buffers to send into
 *   RdmaLinkTable     links that stand, begin and end
 * </pre>
 */
@NullMarked
package org.fmi.logring;

import org.jspecify.annotations.NullMarked;
