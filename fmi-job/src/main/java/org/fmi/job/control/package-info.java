/**
 * What fmirun, its daemons and their ranks tell each other, and how it is written: bounded,
 * versioned, little endian. Nothing here knows sockets.
 */
@NullMarked
package org.fmi.job.control;

import org.jspecify.annotations.NullMarked;
