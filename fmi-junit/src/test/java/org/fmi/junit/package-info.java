@NullMarked
package org.fmi.junit;

import org.jspecify.annotations.NullMarked;
