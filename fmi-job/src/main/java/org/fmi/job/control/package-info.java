/**
 * Messages between fmirun, its daemons and their ranks, and their bytes: bounded, little endian,
 * behind a version. Codecs are generated from the records, see {@code org.fmi.codec}. Nothing here
 * knows sockets.
 */
@NullMarked
package org.fmi.job.control;

import org.jspecify.annotations.NullMarked;
