/** What Prometheus and receivers of OTLP get of a job. */
@NullMarked
package org.fmi.run.metrics;

import org.jspecify.annotations.NullMarked;
