package org.fmi.spi;

/** The medium of a transport's messages. Reports count peers by medium. */
public enum Medium {
  SHARED_MEMORY,
  TCP,
  RDMA,
  OTHER
}
