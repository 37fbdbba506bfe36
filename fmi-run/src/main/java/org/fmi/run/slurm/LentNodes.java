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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that Slurm gives to a job beyond its allocation, each by an allocation of its own: one that
 * runs cannot be relied on to grow.
 *
 * <p>Each of them belongs to a salloc that a shell keeps as long as its standard input is open. So
 * it is given back when that is closed, and also when fmirun is killed: whether it was granted by
 * then or not. Should both die at once, as with their host, the node's daemon gives it back, which
 * ends without fmirun ({@link #untilItEnds}). Any thread.
 */
public final class LentNodes {
  /** How long salloc may take beyond the time that a request may wait. */
  private static final int ANSWER_SECONDS = 15;

  private static final int SECONDS_PER_MINUTE = 60;

  /** Begins the line in which the allocation names itself. */
  private static final String LENT = "fmi-lent ";

  /** What comes before the words that say why there is no node. */
  private static final Pattern COMPLAINT = Pattern.compile("salloc: error: |fmi-lease: ");

  /** What runs in the allocation tells its number and node; it ends with its standard input. */
  private static final String KEEP =
      """
      trap '' USR1
      exec 3<&0
      salloc --kill-command=TERM "$@" sh -c 'echo "fmi-lent $SLURM_JOB_ID $SLURM_JOB_NODELIST"; exec sleep 2147483647' </dev/null 3<&- &
      salloc=$!
      { while read -r _; do :; done; kill "$salloc"; } <&3 >/dev/null 2>&1 &
      guard=$!
      exec 3<&-
      wait "$salloc"
      status=$?
      kill "$guard" 2>/dev/null
      exit $status
      """;

  /**
   * Runs the daemon of such a node, and cancels the allocation behind it. Not if the daemon was
   * killed: then fmirun has to clean up there first, or is about to end with it.
   */
  private static final String GIVE_BACK =
      """
      trap '' USR1
      trap : TERM
      job=$1
      shift
      "$@"
      status=$?
      [ $status = 137 ] || scancel "$job"
      exit $status
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
        }
      } catch (IOException e) {
        answer.refused(String.valueOf(e.getMessage()));
      }
    }

    private void follow(Process process) throws IOException {
      boolean granted = false;
      String last = "salloc ended, and did not say why";
      Thread limit = Thread.ofVirtual().name("fmi-lease-limit").start(this::limit);
      try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
        String line;
        while ((line = in.readLine()) != null) {
          String[] words = line.split(" ");
          if (line.startsWith(LENT) && words.length == 3) {
            limit.interrupt();
            granted = true;
            nodes.put(words[2], new Lent(words[1], this));
            answer.granted(words[2], allocation.rack(words[2]));
          } else if (COMPLAINT.matcher(line).lookingAt()) {
            last = reason(COMPLAINT.matcher(line).replaceFirst(""));
          }
        }
      } finally {
        limit.interrupt();
        giveBack(); // the shell may wait for that
      }
      if (!granted) {
        answer.refused(last);
      }
    }

    /** Slurm's own words, but for those that mean something else than they say. */
    private String reason(String words) {
      return words.endsWith("Connection timed out")
          ? "Slurm has none that is free within " + seconds + " s"
          : words;
    }

    private void limit() {
      try {
        Thread.sleep(Duration.ofSeconds(seconds + ANSWER_SECONDS));
        giveBack();
      } catch (InterruptedException e) {
        // It was answered.
      }
    }
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
    SlurmCommand.of("salloc", environment); // or a shell would say that it is not there
    List<String> command =
        new ArrayList<>(
            List.of(
                "setsid",
                "sh",
                "-c",
                KEEP,
                "fmi-lease",
                "--immediate=" + seconds,
                "--exclude=" + allocation.list() + names(),
                "--job-name=fmi-lent",
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
      command.add("--time=" + Math.ceilDiv(end.getAsLong() + 1, SECONDS_PER_MINUTE));
    }
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

  /** The command that runs a node's daemon there, and gives the node back when it has ended. */
  public List<String> untilItEnds(String node, List<String> daemon) {
    Lent lent = nodes.get(node);
    if (lent == null) {
      return daemon;
    }
    List<String> words = new ArrayList<>(List.of("sh", "-c", GIVE_BACK, "fmi-daemon", lent.job()));
    words.addAll(daemon);
    return words;
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
