package org.fmi.sim.scale;

/**
 * Durations of the steps, in seconds, as measured in a real run: {@code bench/calibrate} prints
 * them.
 *
 * @param launch of fmirun, to begin the start of one daemon
 * @param daemon of a core, from then until the daemon has said that it is up
 * @param process of a core, from the order to start a rank until it has joined
 * @param standby of a core, the same for a process that stands by
 * @param join of a core, from the news of an epoch until a survivor has joined it
 * @param connect of a core, from the order to start an epoch until the log-ring's links are up
 * @param run of a core, from then until a rank runs
 * @param event of fmirun, for a message that comes
 * @param message of fmirun, for a message that goes
 * @param oneByte of fmirun, for each byte that goes
 * @param oneWay of the network, from one machine to another
 * @param notice from a rank's death until its neighbours notice
 * @param hop from one rank over the log-ring to the next
 * @param nodeLost from a node's death until fmirun knows
 */
public record ServiceTimes(
    double launch,
    double daemon,
    double process,
    double standby,
    double join,
    double connect,
    double run,
    double event,
    double message,
    double oneByte,
    double oneWay,
    double notice,
    double hop,
    double nodeLost) {}
