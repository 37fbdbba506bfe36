@NullMarked
package org.fmi.job.control;

import org.jspecify.annotations.NullMarked;
