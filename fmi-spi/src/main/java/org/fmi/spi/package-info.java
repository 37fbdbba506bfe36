/**
 * Contracts of transports, checkpoint stores and failure detectors, and the settings and
 * diagnostics that they work with.
 */
@NullMarked
package org.fmi.spi;

import org.jspecify.annotations.NullMarked;
