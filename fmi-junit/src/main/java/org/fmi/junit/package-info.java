/**
 * Tests of programs with JUnit: {@link org.fmi.junit.FmiTest} runs a method on all ranks of a job,
 * in one JVM.
 */
@org.jspecify.annotations.NullMarked
package org.fmi.junit;
