/**
 * The surroundings of a loop's state, for {@code --check}: variables that the body captures, fields
 * of the program's objects, static fields of its classes.
 *
 * <pre>
 *   LoopCode --makes--> Reached, with the Content of each thing, at one moment
 *      |                   ProgramClasses: the classes whose fields count
 *      +----asks----> Changes, between two of them
 *                     CapturedNames: the names of variables in the source
 * </pre>
 */
@NullMarked
package org.fmi.core.captured;

import org.jspecify.annotations.NullMarked;
