/**
 * What every transport, detector and checkpoint store must pass: suites to be subclassed by their
 * tests.
 */
@NullMarked
package org.fmi.testkit.contract;

import org.jspecify.annotations.NullMarked;
