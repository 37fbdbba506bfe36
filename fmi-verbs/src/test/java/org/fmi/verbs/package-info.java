@NullMarked
package org.fmi.verbs;

import org.jspecify.annotations.NullMarked;
