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
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that Slurm gives to a job beyond its allocation, each by a job of its own: one that runs
 * cannot be relied on to grow.
 *
 * <p>The script of such a job runs the node's daemon, so the job is over when the daemon ends, as
 * it does without fmirun, or when none is started ({@link HandOver}). Whatever else ends, be it
 * Slurm's controller, leaves nothing behind. Before it is over by itself, a shell cancels it whose
 * standard input fmirun holds: that is closed also when fmirun is killed. Any thread.
 */
public final class LentNodes {
  /** How long a command of Slurm may take. */
  private static final int ANSWER_SECONDS = 15;

  /** The pauses between two questions whether a job runs. */
  private static final long FIRST_PAUSE_MILLIS = 100;

  private static final long LONGEST_PAUSE_MILLIS = 5000;

  private static final int SECONDS_PER_MINUTE = 60;

  /** Begins the line in which the job names itself. */
  private static final String LENT = "fmi-lent ";

  /** What comes before the words that say why there is no node. */
  private static final Pattern COMPLAINT = Pattern.compile("sbatch: error: |fmi-lease: ");

  /** As long as a job has nothing to do but to wait for its turn. */
  private static final Set<String> PENDING = Set.of("PENDING", "CONFIGURING");

  /** Why it waits, if nothing is wrong. */
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

  /** Hears what becomes of a request: one of both, once. */
  public interface Answer {
    void granted(String node, String rack);

    void refused(String reason);
  }

  /** What was asked for, or granted. */
  public final class Lease {
    private final int slots;
    private final Answer answer;
    private final Thread thread;
    private boolean wanted = true;
    private @Nullable Process keeper;

    private Lease(int slots, Answer answer) {
      this.slots = slots;
      this.answer = answer;
      this.thread = Thread.ofPlatform().daemon().name("fmi-lease").unstarted(this::run);
    }

    /** Gives it back, granted or not. */
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

    /** Null if it is not wanted any more. */
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
      } catch (IOException e) {
        answer.refused(String.valueOf(e.getMessage()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void follow(Process process) throws IOException, InterruptedException {
      String job = null;
      String last = "sbatch ended, and did not say why";
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
        giveBack(); // the shell waits for that
      }
    }

    /** Asks when the job runs, and waits until its keeper has ended. */
    private void follow(Process process, String job) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      long pause = FIRST_PAUSE_MILLIS;
      String why = "";
      do {
        if (process.waitFor(pause, TimeUnit.MILLISECONDS)) {
          answer.refused("it was given back");
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
            answer.refused("Slurm job " + job + " has ended before it was of use");
            return;
          }
          why = USUAL.contains(words[2]) ? "" : " (" + words[2] + ")";
        } catch (IOException e) {
          why = " (" + e.getMessage() + ")"; // that may pass
        }
      } while (System.nanoTime() - end < 0);
      answer.refused("Slurm has none that is free within " + seconds + " s" + why);
    }
  }

  /** State, node, and the reason why it waits; the first is empty if there is no such job. */
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

  /** By name, those that were given back too: they are not asked for again. */
  private final Map<String, Lent> nodes = new ConcurrentHashMap<>();

  private final List<Lease> leases = new ArrayList<>();

  /**
   * @param environment that has the PATH
   * @param seconds how long a request may wait
   */
  public LentNodes(Allocation allocation, Map<String, String> environment, int seconds) {
    this.allocation = allocation;
    this.environment = environment;
    this.seconds = seconds;
  }

  /**
   * Asks for a node.
   *
   * @param slots for how many ranks
   */
  public Lease request(int slots, Answer answer) {
    Lease lease = new Lease(slots, answer);
    synchronized (leases) {
      leases.add(lease);
    }
    lease.thread.start();
    return lease;
  }

  private List<String> command(int slots) throws IOException {
    int most = Collections.max(allocation.slots());
    SlurmCommand.of("sbatch", environment); // or a shell would say that it is not there
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
                // Or it would begin anew on another node when this one is lost.
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
      // Its nodes were lost as somebody has cancelled it.
      throw new IOException("Slurm job " + allocation.job() + " does not run any more");
    }
    OptionalLong end = SlurmWatch.seconds(left.getFirst().strip());
    if (end.isPresent()) {
      long minutes = Math.ceilDiv(end.getAsLong() + 1, SECONDS_PER_MINUTE);
      command.add("--time=" + minutes);
      // A job that has not begun by then goes by itself, should nobody be left to cancel it.
      command.add(
          "--deadline=now+"
              + (seconds + ANSWER_SECONDS + minutes * SECONDS_PER_MINUTE)
              + "seconds");
    }
    command.add("--wrap=" + HandOver.SCRIPT);
    return command;
  }

  /** The number of the job of Slurm that has a node. */
  public String jobOf(String node) {
    Lent lent = nodes.get(node);
    return lent == null ? allocation.job() : lent.job();
  }

  /** Gives a node back, if it was lent. */
  public void giveBack(String node) {
    Lent lent = nodes.get(node);
    if (lent != null) {
      lent.lease().giveBack();
    }
  }

  /** The command of a step that has a node's daemon run until it ends. */
  public List<String> daemon(String node, String program) {
    Lent lent = nodes.get(node);
    return lent == null ? List.of(program) : HandOver.step(lent.job(), program);
  }

  /** The names of the nodes that were lent at some time, with a comma before each. */
  String names() {
    StringBuilder names = new StringBuilder();
    nodes.keySet().forEach(name -> names.append(',').append(name));
    return names.toString();
  }

  boolean isLent(String node) {
    return nodes.containsKey(node);
  }

  /**
   * Gives all back, and waits until Slurm has them.
   *
   * @param millis for how long at most
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
