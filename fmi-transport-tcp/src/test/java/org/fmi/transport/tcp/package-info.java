@NullMarked
package org.fmi.transport.tcp;

import org.jspecify.annotations.NullMarked;
