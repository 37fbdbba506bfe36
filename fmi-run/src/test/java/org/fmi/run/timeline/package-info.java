@NullMarked
package org.fmi.run.timeline;

import org.jspecify.annotations.NullMarked;
