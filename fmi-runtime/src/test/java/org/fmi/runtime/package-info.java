@NullMarked
package org.fmi.runtime;

import org.jspecify.annotations.NullMarked;
