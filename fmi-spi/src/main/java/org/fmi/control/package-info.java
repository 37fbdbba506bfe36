/**
 * Messages between a rank and the job, and the notices for users: plain records, independent of how
 * they travel.
 */
@NullMarked
package org.fmi.control;

import org.jspecify.annotations.NullMarked;
