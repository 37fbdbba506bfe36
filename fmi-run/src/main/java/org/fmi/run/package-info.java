/** fmirun, the task daemon and the process of a rank; here is what all of them know. */
@NullMarked
package org.fmi.run;

import org.jspecify.annotations.NullMarked;
