@NullMarked
package org.fmi.transport.rdma;

import org.jspecify.annotations.NullMarked;
