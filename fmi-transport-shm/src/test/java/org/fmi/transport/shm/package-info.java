@NullMarked
package org.fmi.transport.shm;

import org.jspecify.annotations.NullMarked;
