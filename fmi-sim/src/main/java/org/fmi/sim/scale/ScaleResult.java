package org.fmi.sim.scale;

/**
 * The start of a job on many nodes, and its recovery from a loss. Times in simulated seconds, from
 * the beginning of the start, and from the loss.
 *
 * @param daemonsUp all daemons were up
 * @param joined all ranks had joined
 * @param connected all links of the log-ring were up
 * @param running all ranks ran
 * @param notified the last living rank had heard of the loss over the log-ring
 * @param hops how many ranks the notice passed at most
 * @param rejoined all ranks had joined the next epoch
 * @param reconnected all links were up again
 * @param recovered all ranks ran again
 * @param startBytes the size of the message that starts an epoch, which each daemon gets
 * @param decisions what the decision maker did
 */
public record ScaleResult(
    double daemonsUp,
    double joined,
    double connected,
    double running,
    double notified,
    int hops,
    double rejoined,
    double reconnected,
    double recovered,
    long startBytes,
    Decisions decisions) {}
