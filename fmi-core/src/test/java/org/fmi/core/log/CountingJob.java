package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** A job that counts reports of determinants, and acknowledges as many as it is told to. */
public class CountingJob implements LogListener {
  public long chosen;

  /** Number of acknowledged reports; set by a test, or by a wait. */
  public long kept;

  /** The version of the checkpoint that the log begins at. */
  public long version;

  /** Sizes that the log would have had, whenever it was over its limit. */
  public final List<Long> outgrown = new ArrayList<>();

  /** The report that was waited for last; 0 if there was none. */
  public long awaited;

  @Override
  public void caughtUp() {}

  @Override
  public void outgrown(long bytes) {
    outgrown.add(bytes);
  }

  @Override
  public void chooses(Choice choice) {
    throw new AssertionError(choice);
  }

  @Override
  public long report(int rank, long version, NewDeterminants told) {
    return ++chosen;
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public long versionBegun() {
    return version + 1;
  }

  @Override
  public boolean isStable(long number) {
    return number <= kept;
  }

  @Override
  public void awaitStable(long number) {
    assertThat(number).as("what was told last").isEqualTo(chosen);
    awaited = number;
    kept = number;
  }

  @Override
  public void blockDiffers(int messages, int dest, int context, long tag) {
    throw new AssertionError("it differs");
  }

  @Override
  public void differs(int dest, int context, long tag, long lengthBefore, long length) {
    throw new AssertionError(tag + " differs");
  }
}
