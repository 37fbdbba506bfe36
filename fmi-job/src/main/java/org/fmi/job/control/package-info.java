/**
 * Messages between fmirun, its daemons and their ranks, and their encoding: bounded, little endian,
 * with a version. Codecs are generated from the records, see {@code org.fmi.codec}. Nothing here
 * uses sockets.
 */
@NullMarked
package org.fmi.job.control;

import org.jspecify.annotations.NullMarked;
