@NullMarked
package org.fmi.testkit;

import org.jspecify.annotations.NullMarked;
