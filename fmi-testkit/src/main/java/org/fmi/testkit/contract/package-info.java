/** Contract tests of transports, detectors and checkpoint stores: their own tests extend these. */
@NullMarked
package org.fmi.testkit.contract;

import org.jspecify.annotations.NullMarked;
