/**
 * Suites that every transport, detector and checkpoint store must pass: their tests extend these.
 */
@NullMarked
package org.fmi.testkit.contract;

import org.jspecify.annotations.NullMarked;
