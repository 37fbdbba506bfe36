/** What fmirun tells Prometheus, and who speaks OTLP, of a job. */
@NullMarked
package org.fmi.run.metrics;

import org.jspecify.annotations.NullMarked;
