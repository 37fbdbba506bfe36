/** Metrics of a job, for Prometheus and for receivers of OTLP. */
@NullMarked
package org.fmi.run.metrics;

import org.jspecify.annotations.NullMarked;
