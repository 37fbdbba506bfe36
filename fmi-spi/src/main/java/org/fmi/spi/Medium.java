package org.fmi.spi;

/** The medium that a transport's messages travel through: reports count peers by it. */
public enum Medium {
  SHARED_MEMORY,
  TCP,
  RDMA,
  OTHER
}
