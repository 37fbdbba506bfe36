/**
 * Parts that the example programs share: their command line and the division of a grid among ranks.
 */
@NullMarked
package org.fmi.examples;

import org.jspecify.annotations.NullMarked;
