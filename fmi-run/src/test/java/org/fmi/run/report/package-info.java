@NullMarked
package org.fmi.run.report;

import org.jspecify.annotations.NullMarked;
