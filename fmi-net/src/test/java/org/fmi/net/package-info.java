@NullMarked
package org.fmi.net;

import org.jspecify.annotations.NullMarked;
