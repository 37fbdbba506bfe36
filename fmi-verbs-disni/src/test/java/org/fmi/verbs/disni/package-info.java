@NullMarked
package org.fmi.verbs.disni;

import org.jspecify.annotations.NullMarked;
