/**
 * The generator of the code that writes and reads messages. It runs when their records are
 * compiled.
 *
 * <p>A sealed interface of messages is marked {@link org.fmi.codec.Wire @Wire}, and each of its
 * records has a {@link org.fmi.codec.Tag @Tag}. For {@code ToDaemon} the generator creates a class
 * {@code ToDaemonCodec} in the same package, with {@code encode} and {@code decode}; and one more
 * class, private to that package, for each record or sealed interface that is part of a message,
 * from any package or module. That package provides the classes {@code MessageWriter}, {@code
 * MessageReader} and {@code BadMessageException}.
 *
 * <p>A component is an {@code int}, {@code long}, {@code boolean} or {@code double}, a string, an
 * array of bytes, ints or longs, an enum, which is written by name, a record, a sealed interface of
 * records, or a list or map of these. A component that may be null is marked {@code @Nullable}. A
 * type that needs another encoding has a codec written by hand, see {@link
 * org.fmi.codec.ByHand @ByHand}.
 *
 * <p>{@code WireVersion.VALUE} is a digest of all this: two builds of the same version understand
 * each other, whatever their other differences.
 */
@NullMarked
package org.fmi.codec;

import org.jspecify.annotations.NullMarked;
