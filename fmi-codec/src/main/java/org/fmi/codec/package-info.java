/**
 * The generator of the code that writes and reads messages, which runs when the records of these
 * are compiled.
 *
 * <p>A sealed interface of messages is marked {@link org.fmi.codec.Wire @Wire}, and each of its
 * records has a {@link org.fmi.codec.Tag @Tag}. For {@code ToDaemon} there is then a class {@code
 * ToDaemonCodec} in the same package, with {@code encode} and {@code decode}; and one more, of that
 * package alone, for each other record or sealed interface that a message has as a part, whichever
 * package or module the part is from. That package provides the classes {@code MessageWriter},
 * {@code MessageReader} and {@code BadMessageException} for it.
 *
 * <p>A component is an {@code int}, {@code long}, {@code boolean} or {@code double}, a string, an
 * array of bytes, ints or longs, an enum, which is written by name, a record, a sealed interface of
 * records, or a list or map of these; one that may be null is marked {@code @Nullable}. Whatever is
 * better written otherwise has a codec by hand, see {@link org.fmi.codec.ByHand @ByHand}.
 *
 * <p>{@code WireVersion.VALUE} is a digest of all this: two builds that have the same version
 * understand each other, whatever else differs between them.
 */
@NullMarked
package org.fmi.codec;

import org.jspecify.annotations.NullMarked;
