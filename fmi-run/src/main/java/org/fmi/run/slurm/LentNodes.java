package org.fmi.run.slurm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.fmi.node.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that Slurm gives to a job beyond its allocation, each through a separate Slurm job, because
 * a running job cannot be relied on to grow.
 *
 * <p>The script of such a job runs the node's daemon. So the job is over when the daemon ends, as
 * it does without fmirun, or when none is started ({@link HandOver}). The failure of any other
 * part, including Slurm's controller, leaves nothing behind. To end the job early, a shell cancels
 * it when fmirun closes the shell's standard input, which also happens when fmirun is killed. Any
 * thread.
 */
public final class LentNodes {
  /** Time limit of a Slurm command. */
  private static final int ANSWER_SECONDS = 15;

  /** The pauses between two checks whether a job runs. */
  private static final long FIRST_PAUSE_MILLIS = 100;

  private static final long LONGEST_PAUSE_MILLIS = 5000;

  private static final int SECONDS_PER_MINUTE = 60;

  /** Begins the line in which the job reports its number. */
  private static final String LENT = "fmi-lent ";

  /** Precedes the reason why there is no node. */
  private static final Pattern COMPLAINT = Pattern.compile("sbatch: error: |fmi-lease: ");

  /** States of a job that is still waiting. */
  private static final Set<String> PENDING = Set.of("PENDING", "CONFIGURING");

  /** Reasons of waiting that are no problem. */
  private static final Set<String> USUAL = Set.of("", "None", "Priority", "Resources");

  /** Submits the job, and cancels it when the standard input ends. Slurm ends all by TERM. */
  private static final String KEEP =
      """
      trap '' USR1 TERM
      job=$(timeout -s KILL 15 sbatch --parsable "$@" </dev/null)
      case $? in
        0) ;;
        137) echo "fmi-lease: sbatch did not answer within 15 s"; exit 1 ;;
        *) exit 1 ;;
      esac
      job=${job%%;*}
      echo "fmi-lent $job"
      while read -r _; do :; done
      exec scancel "$job" >/dev/null 2>&1
      """;

  /** Receives the result of a request: one of these calls, once. */
  public interface Answer {
    void granted(String node, String rack);

    void refused(String reason);
  }

  /** A requested or granted node. */
  public final class Lease {
    private final int slots;
    private final Answer answer;
    private final Thread thread;
    private boolean wanted = true;
    private @Nullable Process keeper;

    private Lease(int slots, Answer answer) {
      this.slots = slots;
      this.answer = answer;
      this.thread = threads.newThread(this::run);
    }

    /** Returns it to Slurm, granted or not. */
    public synchronized void giveBack() {
      wanted = false;
      if (keeper != null) {
        try {
          keeper.getOutputStream().close();
        } catch (IOException e) {
          // It has ended already.
        }
      }
    }

    /** Starts the command; returns null if the node is no longer wanted. */
    private @Nullable Process begin(List<String> command) throws IOException {
      synchronized (this) {
        if (!wanted) {
          return null;
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", environment.getOrDefault("PATH", ""));
        keeper = builder.start();
        return keeper;
      }
    }

    private void run() {
      try {
        Process process = begin(command(slots));
        if (process != null) {
          follow(process);
          process.waitFor();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Throwable e) {
        // Also if threads or memory are exhausted: ranks wait for an answer.
        answer.refused(Refusal.text(e));
      }
    }

    private void follow(Process process) throws IOException, InterruptedException {
      String job = null;
      String last = "sbatch ended without a reason";
      try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
        String line;
        while (job == null && (line = in.readLine()) != null) {
          if (line.startsWith(LENT)) {
            job = line.substring(LENT.length()).strip();
          } else if (COMPLAINT.matcher(line).lookingAt()) {
            last = COMPLAINT.matcher(line).replaceFirst("");
          }
        }
        if (job == null) {
          answer.refused(last);
        } else {
          follow(process, job);
        }
      } finally {
        giveBack(); // the shell waits for this
      }
    }

    /** Polls until the job runs, and waits until its keeper has ended. */
    private void follow(Process process, String job) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      long pause = FIRST_PAUSE_MILLIS;
      String why = "";
      do {
        if (process.waitFor(pause, TimeUnit.MILLISECONDS)) {
          answer.refused("the node was returned to Slurm");
          return;
        }
        pause = Math.min(pause + pause / 2, LONGEST_PAUSE_MILLIS);
        try {
          String[] words = state(job);
          if (words[0].equals("RUNNING")) {
            nodes.put(words[1], new Lent(job, this));
            answer.granted(words[1], allocation.rack(words[1]));
            process.waitFor();
            return;
          }
          if (!PENDING.contains(words[0])) {
            answer.refused("Slurm job " + job + " ended before it was used");
            return;
          }
          why = USUAL.contains(words[2]) ? "" : " (" + words[2] + ")";
        } catch (IOException e) {
          why = " (" + e.getMessage() + ")"; // this may pass
        }
      } while (System.nanoTime() - end < 0);
      answer.refused("Slurm found no free node within " + seconds + " s" + why);
    }
  }

  /**
   * Returns state, node, and the reason for waiting; the state is empty if there is no such job.
   */
  private String[] state(String job) throws IOException {
    List<String> lines =
        SlurmCommand.of("squeue", environment)
            .with("-h", "-j", job, "-o", "%T|%N|%r")
            .run(ANSWER_SECONDS);
    String[] words = lines.isEmpty() ? new String[0] : lines.getFirst().strip().split("\\|", -1);
    return words.length == 3 ? words : new String[] {"", "", ""};
  }

  private record Lent(String job, Lease lease) {}

  private final Allocation allocation;
  private final Map<String, String> environment;
  private final int seconds;
  private final ThreadFactory threads;

  /** Lent nodes by name, including returned ones: they are not requested again. */
  private final Map<String, Lent> nodes = new ConcurrentHashMap<>();

  private final List<Lease> leases = new ArrayList<>();

  /**
   * @param environment environment with the PATH
   * @param seconds how long a request may wait
   */
  public LentNodes(Allocation allocation, Map<String, String> environment, int seconds) {
    this(
        allocation, environment, seconds, Thread.ofPlatform().daemon().name("fmi-lease").factory());
  }

  LentNodes(
      Allocation allocation, Map<String, String> environment, int seconds, ThreadFactory threads) {
    this.allocation = allocation;
    this.environment = environment;
    this.seconds = seconds;
    this.threads = threads;
  }

  /**
   * Requests a node.
   *
   * @param slots the number of ranks it must take
   */
  public Lease request(int slots, Answer answer) {
    Lease lease = new Lease(slots, answer);
    synchronized (leases) {
      leases.add(lease);
    }
    try {
      lease.thread.start();
    } catch (OutOfMemoryError e) {
      synchronized (leases) {
        leases.remove(lease); // nothing waits for its end
      }
      answer.refused(Refusal.text(e)); // threads are exhausted
    }
    return lease;
  }

  private List<String> command(int slots) throws IOException {
    int most = Collections.max(allocation.slots());
    SlurmCommand.of("sbatch", environment); // otherwise a shell would report its absence
    List<String> command =
        new ArrayList<>(
            List.of(
                "setsid",
                "sh",
                "-c",
                KEEP,
                "fmi-lease",
                "--exclude=" + allocation.list() + names(),
                "--job-name=fmi-lent",
                "--output=/dev/null",
                "--export=ALL",
                // Otherwise it would start over on another node when this one is lost.
                "--no-requeue",
                "-N1",
                "-n" + Math.min(slots, most)));
    for (String[] option :
        new String[][] {
          {"SLURM_JOB_PARTITION", "--partition="},
          {"SLURM_JOB_ACCOUNT", "--account="},
          {"SLURM_JOB_QOS", "--qos="},
          {"SLURM_JOB_RESERVATION", "--reservation="},
          {"SLURM_CPUS_PER_TASK", "--cpus-per-task="},
          {"SLURM_MEM_PER_NODE", "--mem="},
          {"SLURM_MEM_PER_CPU", "--mem-per-cpu="}
        }) {
      String value = environment.getOrDefault(option[0], "");
      if (!value.isEmpty()) {
        command.add(option[1] + value);
      }
    }
    List<String> left =
        SlurmCommand.of("squeue", environment)
            .with("-h", "-j", allocation.job(), "-t", "RUNNING", "-o", "%L")
            .run(ANSWER_SECONDS);
    if (left.isEmpty()) {
      // Its nodes were lost because the job was cancelled.
      throw new IOException("Slurm job " + allocation.job() + " has ended");
    }
    OptionalLong end = SlurmWatch.seconds(left.getFirst().strip());
    if (end.isPresent()) {
      long minutes = Math.ceilDiv(end.getAsLong() + 1, SECONDS_PER_MINUTE);
      command.add("--time=" + minutes);
      // A job that has not begun by then ends by itself, in case nothing cancels it.
      command.add(
          "--deadline=now+"
              + (seconds + ANSWER_SECONDS + minutes * SECONDS_PER_MINUTE)
              + "seconds");
    }
    command.add("--wrap=" + HandOver.SCRIPT);
    return command;
  }

  /** Returns the number of the Slurm job that has a node. */
  public String jobOf(String node) {
    Lent lent = nodes.get(node);
    return lent == null ? allocation.job() : lent.job();
  }

  /** Returns a node to Slurm, if it was lent. */
  public void giveBack(String node) {
    Lent lent = nodes.get(node);
    if (lent != null) {
      lent.lease().giveBack();
    }
  }

  /** Returns the command of a step that runs a node's daemon until it ends. */
  public List<String> daemon(String node, String program) {
    Lent lent = nodes.get(node);
    return lent == null ? List.of(program) : HandOver.step(lent.job(), program);
  }

  /** Returns the names of all nodes ever lent, each after a comma. */
  String names() {
    StringBuilder names = new StringBuilder();
    nodes.keySet().forEach(name -> names.append(',').append(name));
    return names.toString();
  }

  boolean isLent(String node) {
    return nodes.containsKey(node);
  }

  /**
   * Returns all nodes, and waits until Slurm has them.
   *
   * @param millis maximum time to wait
   */
  public void close(long millis) {
    List<Lease> all;
    synchronized (leases) {
      all = List.copyOf(leases);
    }
    all.forEach(Lease::giveBack);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      for (Lease lease : all) {
        boolean _ = lease.thread.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
