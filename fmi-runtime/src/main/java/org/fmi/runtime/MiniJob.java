package org.fmi.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.fmi.control.AddressTable;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * The job's side of a job whose ranks are threads of this process: starts each epoch once all ranks
 * have joined it, and releases them once all have finished. A rank can fail only together with the
 * process, so there is nothing to decide.
 */
public final class MiniJob {
  private final Link[] links;
  private final IntConsumer abort;
  private final Diagnostics diagnostics;
  private int epoch;
  private int finished;

  /**
   * A job of {@code size} ranks.
   *
   * @param abort ends the job with a status
   * @param diagnostics receives messages for the user
   */
  public MiniJob(int size, IntConsumer abort, Diagnostics diagnostics) {
    this.links = new Link[size];
    for (int rank = 0; rank < size; rank++) {
      links[rank] = new Link();
    }
    this.abort = abort;
    this.diagnostics = diagnostics;
  }

  /**
   * The configuration of a rank, to which callers add what only their job needs.
   *
   * @param job the settings common to all its ranks
   */
  public static RankConfig.Builder config(String jobId, byte[] secret, int rank, JobSettings job) {
    int size = job.size();
    int[] all = new int[size];
    for (int each = 0; each < size; each++) {
      all[each] = each;
    }
    return RankConfig.builder()
        .jobId(jobId)
        .secret(secret)
        .rank(rank)
        .host("127.0.0.1")
        .ranksOnNode(size)
        .ranksOnMachine(size)
        .group(all)
        .job(job);
  }

  /** The link of a rank to this job. */
  public JobLink link(int rank) {
    return links[rank];
  }

  /** Rolls all ranks back into an epoch. Each of them may call it. */
  public synchronized void revoke(int newEpoch) {
    if (newEpoch > epoch) {
      epoch = newEpoch;
      sendAll(new JobMessage.Revoke(epoch, JobMessage.Revoke.NONE, List.of()));
    }
  }

  /** The link of one rank, with the job's state of it. */
  private final class Link implements JobLink {
    private @Nullable Listener listener;
    private RankMessage.@Nullable Joined joined;

    @Override
    public void listen(Listener newListener) {
      listener = newListener;
    }

    @Override
    public void send(RankMessage message) {
      onMessage(this, message);
    }

    @Override
    public void report(String line) {
      diagnostics.report(line);
    }

    @Override
    public void flush() {}
  }

  private void onMessage(Link from, RankMessage message) {
    switch (message) {
      case RankMessage.Joined m -> onJoined(from, m);
      case RankMessage.Finished _ -> onFinished();
      case RankMessage.Abort m -> abort.accept(m.status());
      // The rank would wait for the end of its process. Here the program gets an exception.
      case RankMessage.Unrecoverable m -> throw new IllegalStateException(m.reason());
      case RankMessage.CannotContinue m -> throw new IllegalStateException(m.reason());
      case RankMessage.ProgramFault m -> throw new IllegalStateException(m.reason());
      case RankMessage.RestartNeeded m -> throw new IllegalStateException(m.reason());
      case RankMessage.Connected _,
          RankMessage.Running _,
          RankMessage.Left _,
          RankMessage.FilesRead _,
          RankMessage.Suspect _,
          RankMessage.CheckpointDone _,
          RankMessage.CheckpointSkipped _,
          RankMessage.Stops _,
          RankMessage.CheckpointWanted _, // only needed for recovery
          RankMessage.AtFault _,
          RankMessage.ChoiceReport _, // no rank has a log
          RankMessage.LocalImpossible _,
          RankMessage.Notify _,
          RankMessage.Agrees _, // no rank dies
          RankMessage.Revokes _,
          RankMessage.Failed _ -> {}
    }
  }

  private synchronized void onFinished() {
    finished++;
    if (finished == links.length) {
      sendAll(new JobMessage.Release());
    }
  }

  private synchronized void onJoined(Link from, RankMessage.Joined now) {
    from.joined = now;
    List<Map<String, byte[]>> endpoints = new ArrayList<>();
    boolean rollback = false;
    for (Link link : links) {
      RankMessage.Joined joined = link.joined;
      if (joined == null || joined.epoch() != now.epoch()) {
        return;
      }
      endpoints.add(joined.addresses());
      rollback |= joined.position() != Position.FRESH;
    }
    sendAll(new JobMessage.Start(now.epoch(), rollback, AddressTable.of(endpoints)));
  }

  private void sendAll(JobMessage message) {
    for (Link link : links) {
      JobLink.Listener listener = link.listener;
      if (listener != null) {
        listener.onMessage(message);
      }
    }
  }
}
