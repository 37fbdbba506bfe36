@NullMarked
package org.fmi.transport.rdma.verbs;

import org.jspecify.annotations.NullMarked;
