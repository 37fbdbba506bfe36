/**
 * What transports, checkpoint stores, failure detectors and the control plane implement, and what
 * they get.
 */
@NullMarked
package org.fmi.spi;

import org.jspecify.annotations.NullMarked;
