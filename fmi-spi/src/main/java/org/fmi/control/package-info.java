/** What a rank and the job tell each other: plain messages, independent of how they travel. */
@NullMarked
package org.fmi.control;

import org.jspecify.annotations.NullMarked;
