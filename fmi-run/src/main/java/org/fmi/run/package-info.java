/** Parts that fmirun, the task daemon and the process of a rank share. */
@NullMarked
package org.fmi.run;

import org.jspecify.annotations.NullMarked;
