@NullMarked
package org.fmi.run.doctor;

import org.jspecify.annotations.NullMarked;
