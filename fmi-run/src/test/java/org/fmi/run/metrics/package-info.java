@NullMarked
package org.fmi.run.metrics;

import org.jspecify.annotations.NullMarked;
