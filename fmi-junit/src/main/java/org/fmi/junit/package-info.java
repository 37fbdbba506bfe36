/**
 * Tests of programs with JUnit: {@link org.fmi.junit.FmiTest} runs a method on all ranks of a job,
 * in one JVM.
 */
@NullMarked
package org.fmi.junit;

import org.jspecify.annotations.NullMarked;
