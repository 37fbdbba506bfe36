package org.fmi.spi;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all ranks of a job share. Made with {@link #builder}, so that each part stands
 * beside its name.
 *
 * @param size the number of ranks
 * @param interval when checkpoints are taken
 * @param policy what a failure leads to, which ranks roll back, and how checkpoints are taken
 * @param groupLosses the number of members of a checkpoint group that may be lost at once, if the
 *     group has at least as many other members
 * @param logRingBase base k of the log-ring: rank r is connected to r + k^i
 * @param heartbeatMillis a process silent for this long is declared dead
 * @param detection how ranks watch each other
 * @param recordLimitBytes the size limit of the record that a replacement replays outside of loops
 * @param sendBufferBytes room for copies of short messages that their receivers have not taken yet,
 *     so that their sends need not wait; {@link #SEND_BUFFER_OF_HEAP} if it follows from the heap's
 *     size
 * @param transports names of the transports to use, in order of preference; empty for all
 * @param mayShrink whether the program may have to continue with fewer ranks, so that the state of
 *     its loops must say how it is divided
 */
public record JobSettings(
    int size,
    CheckpointInterval interval,
    RecoveryPolicy policy,
    int groupLosses,
    int logRingBase,
    int heartbeatMillis,
    Detection detection,
    long recordLimitBytes,
    long sendBufferBytes,
    List<String> transports,
    boolean mayShrink) {
  /** A sixteenth of the heap, and at least 16 MiB. */
  public static final long SEND_BUFFER_OF_HEAP = -1;

  private static final long LEAST_SEND_BUFFER = 16 << 20;

  public JobSettings {
    transports = List.copyOf(transports);
  }

  /** The reaction to the loss of a rank, which is part of the policy. */
  public OnFailure onFailure() {
    return policy.onFailure();
  }

  /** {@link #sendBufferBytes} in a process with this much heap, in bytes. */
  public long sendBufferBytes(long heap) {
    return sendBufferBytes == SEND_BUFFER_OF_HEAP
        ? Math.max(heap / 16, LEAST_SEND_BUFFER)
        : sendBufferBytes;
  }

  /** A builder. Parts without a default value must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts with these settings. */
  public Builder toBuilder() {
    return new Builder()
        .size(size)
        .interval(interval)
        .policy(policy)
        .groupLosses(groupLosses)
        .logRingBase(logRingBase)
        .heartbeatMillis(heartbeatMillis)
        .detection(detection)
        .recordLimitBytes(recordLimitBytes)
        .sendBufferBytes(sendBufferBytes)
        .transports(transports)
        .mayShrink(mayShrink);
  }

  /** Collects the parts of {@link JobSettings} by name. */
  public static final class Builder {
    private int size;
    private @Nullable CheckpointInterval interval;
    private RecoveryPolicy policy = RecoveryPolicy.global();
    private int groupLosses = 1;
    private int logRingBase = 2;
    private int heartbeatMillis;
    private @Nullable Detection detection;
    private long recordLimitBytes;
    private long sendBufferBytes = SEND_BUFFER_OF_HEAP;
    private List<String> transports = List.of();
    private boolean mayShrink;

    private Builder() {}

    public Builder size(int value) {
      size = value;
      return this;
    }

    public Builder interval(CheckpointInterval value) {
      interval = value;
      return this;
    }

    public Builder policy(RecoveryPolicy value) {
      policy = value;
      return this;
    }

    public Builder groupLosses(int value) {
      groupLosses = value;
      return this;
    }

    public Builder logRingBase(int value) {
      logRingBase = value;
      return this;
    }

    public Builder heartbeatMillis(int value) {
      heartbeatMillis = value;
      return this;
    }

    /** Sets the detection; the default is by the log-ring. */
    public Builder detection(Detection value) {
      detection = value;
      return this;
    }

    public Builder recordLimitBytes(long value) {
      recordLimitBytes = value;
      return this;
    }

    public Builder sendBufferBytes(long value) {
      sendBufferBytes = value;
      return this;
    }

    public Builder transports(List<String> value) {
      transports = value;
      return this;
    }

    public Builder mayShrink(boolean value) {
      mayShrink = value;
      return this;
    }

    /**
     * The settings.
     *
     * @throws NullPointerException if a part was not set, with its name
     */
    public JobSettings build() {
      return new JobSettings(
          size,
          Objects.requireNonNull(interval, "interval"),
          policy,
          groupLosses,
          logRingBase,
          heartbeatMillis,
          detection == null ? Detection.byLogRing(heartbeatMillis) : detection,
          recordLimitBytes,
          sendBufferBytes,
          transports,
          mayShrink);
    }
  }
}
