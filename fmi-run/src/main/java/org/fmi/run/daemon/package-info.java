/** The task daemon: starts, watches and fences the ranks of one node. */
@NullMarked
package org.fmi.run.daemon;

import org.jspecify.annotations.NullMarked;
