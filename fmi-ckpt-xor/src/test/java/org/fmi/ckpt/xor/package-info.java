/** Tests of the store: ranks are threads, nodes are maps. */
@NullMarked
package org.fmi.ckpt.xor;

import org.jspecify.annotations.NullMarked;
