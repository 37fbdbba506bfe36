/** Memory that the processes of a node share. */
@NullMarked
package org.fmi.node;

import org.jspecify.annotations.NullMarked;
