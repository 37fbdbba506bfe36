package org.fmi.run.process;

import java.io.InputStream;
import java.io.OutputStream;

/** A process that has ended with status 0, was waited for, and has said nothing. */
public class EndedProcess extends Process {
  @Override
  public boolean isAlive() {
    return false;
  }

  @Override
  public int waitFor() {
    return 0;
  }

  @Override
  public int exitValue() {
    return 0;
  }

  @Override
  public void destroy() {}

  @Override
  public Process destroyForcibly() {
    return this;
  }

  @Override
  public OutputStream getOutputStream() {
    return OutputStream.nullOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return InputStream.nullInputStream();
  }

  @Override
  public InputStream getErrorStream() {
    return InputStream.nullInputStream();
  }
}
