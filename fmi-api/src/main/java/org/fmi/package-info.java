/**
 * The public API of FMI: an MPI-like interface with one extra call, {@link org.fmi.Fmi#loop(long,
 * LoopBody, Object...) loop}, which keeps a program running when processes and nodes die.
 *
 * <h2>A program</h2>
 *
 * A job is N processes, its <i>ranks</i> 0 to N - 1, each of which runs {@code main}. They join the
 * job, compute in loops, and leave:
 *
 * {@snippet :
 * public static void main(String[] args) {
 *   try (Fmi fmi = Fmi.init(args)) { // joins the job
 *     Comm world = fmi.world(); // all ranks
 *     double[] u = new double[1000];
 *     double[] residual = {0};
 *     fmi.loop( // the one extra call
 *         100,
 *         iteration -> {
 *           residual[0] = step(world, u);
 *           world.allReduce(residual, Op.MAX);
 *         },
 *         u); // what a checkpoint holds
 *   } // leaves the job
 * }
 * }
 *
 * <p>Names and semantics are those of the MPI 4 standard in Java's case; each method names its MPI
 * function. Where a method's description is silent, MPI's holds.
 *
 * <h2>Messages</h2>
 *
 * A {@link org.fmi.Comm communicator} is a group of ranks and a context that keeps their messages
 * apart from all others. {@link org.fmi.Fmi#world()} is the communicator of all ranks; {@link
 * org.fmi.Comm#dup()}, {@link org.fmi.Comm#split split} and {@link org.fmi.Comm#create create} make
 * others. Messages from one rank to another match receives in the order in which they were sent.
 * Non-blocking calls return a {@link org.fmi.Request}; receives and probes give a {@link
 * org.fmi.Status}.
 *
 * <p>Collective operations are called by all ranks of a communicator, in the same order. {@link
 * org.fmi.Op} combines elements: the same number of ranks and the same input give the same bits,
 * independently of timing and of the ranks' nodes.
 *
 * <h2>Buffers</h2>
 *
 * A buffer is passed as an {@code Object}, which is whole or a {@link org.fmi.Slice}:
 *
 * <table>
 *   <caption>What a buffer may be</caption>
 *   <thead>
 *     <tr><th scope="col">buffer</th><th scope="col">its data</th></tr>
 *   </thead>
 *   <tbody>
 *     <tr>
 *       <td>{@code byte[] short[] char[] int[] long[] float[] double[] boolean[]}</td>
 *       <td>all elements</td>
 *     </tr>
 *     <tr>
 *       <td>{@link java.nio.IntBuffer}, {@link java.nio.DoubleBuffer} and the other typed buffers,
 *           heap or direct, in the machine's byte order</td>
 *       <td>elements from the position to the limit</td>
 *     </tr>
 *     <tr>
 *       <td>{@link java.nio.ByteBuffer}, heap or direct</td>
 *       <td>bytes from the position to the limit</td>
 *     </tr>
 *     <tr>
 *       <td>{@link java.lang.foreign.MemorySegment}</td>
 *       <td>all bytes</td>
 *     </tr>
 *     <tr>
 *       <td>{@link org.fmi.Slice}</td>
 *       <td>part of one of these, or the bytes of a byte buffer or segment as elements of a {@link
 *           org.fmi.Datatype}</td>
 *     </tr>
 *   </tbody>
 * </table>
 *
 * {@snippet :
 * world.send(u, 1, 0); // all of an array
 * world.send(Slice.of(u, 10, 5), 1, 0); // five elements of it
 * world.allReduce(Slice.of(segment, Datatype.DOUBLE), Op.SUM); // a segment of doubles
 * }
 *
 * <p>A call with a whole array or segment, or with a slice made before, allocates nothing.
 *
 * <h2>Loops, checkpoints and failures</h2>
 *
 * {@link org.fmi.Fmi#loop(long, LoopBody, Object...)} runs its body for each iteration, and takes
 * checkpoints of the state that was registered. When a process or a node dies, a replacement
 * continues from the checkpoint. So do the other ranks, unless only failed ranks roll back: their
 * communication calls in the loop throw {@link org.fmi.Rollback}; {@code loop} catches it, restores
 * the state, and calls the body again from the checkpoint's iteration. Five rules make a program
 * survive:
 *
 * <ol>
 *   <li><b>Register what changes.</b> Everything that one iteration writes and a later one reads is
 *       state of the loop: arrays, byte buffers, memory segments, objects that write and read
 *       themselves, and {@link org.fmi.StateRef}s of these or of serializable objects.
 *   <li><b>Be repeatable.</b> With the same state an iteration does the same; so a generator of
 *       random numbers is state, a seeded one too. What is outside of loops runs again in a
 *       replacement, and must send and receive the same.
 *   <li><b>Complete requests</b> before an iteration ends, or make them state, in a {@link
 *       org.fmi.StateRef}; after a rollback others are void.
 *   <li><b>Let {@code Rollback} pass.</b> Do not catch {@link Throwable} around communication
 *       calls.
 *   <li><b>Close.</b> Every rank calls {@link org.fmi.Fmi#close()}; one that ends without it has
 *       failed.
 * </ol>
 *
 * <p>A failure outside of loops starts all processes again, from the checkpoints in memory. A call
 * that is interrupted there never returns: its process is killed, without {@code finally} blocks
 * and shutdown hooks.
 *
 * <h2>Errors</h2>
 *
 * A wrong argument or a truncated message ends the call with an {@link org.fmi.FmiException}, whose
 * {@link org.fmi.ErrorClass} is MPI's; the job continues. An exception that the body of a loop
 * throws is a failure of its rank, which is replaced; after three in a row at the same place the
 * job ends. {@link org.fmi.Comm#abort} ends it at once.
 *
 * <h2>Threads</h2>
 *
 * One thread at a time may call the library (MPI_THREAD_SERIALIZED). Blocking calls make all
 * progress themselves: no other thread touches a message on its way.
 */
@NullMarked
package org.fmi;

import org.jspecify.annotations.NullMarked;
