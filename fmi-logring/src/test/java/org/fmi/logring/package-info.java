@NullMarked
package org.fmi.logring;

import org.jspecify.annotations.NullMarked;
