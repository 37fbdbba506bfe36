package org.fmi.run.shell;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.fmi.job.JobController;
import org.fmi.job.JobSpec;
import org.fmi.node.Refusal;
import org.fmi.run.Installation;
import org.fmi.run.Transports;
import org.fmi.run.daemon.DeadJobs;
import org.fmi.run.launch.Launcher;
import org.fmi.run.launch.LocalLauncher;
import org.fmi.run.launch.RemoteLauncher;
import org.fmi.run.metrics.JobMetrics;
import org.fmi.run.options.MetricsOptions;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.run.options.Settings;
import org.fmi.run.options.UsageException;
import org.fmi.run.options.Where;
import org.fmi.run.process.NativeText;
import org.fmi.run.report.Console;
import org.fmi.run.report.EventLog;
import org.fmi.run.report.OutputFiles;
import org.fmi.run.report.StartText;
import org.fmi.run.slurm.Allocation;
import org.fmi.run.slurm.LentNodes;
import org.fmi.run.slurm.SlurmWatch;
import org.fmi.spi.TransportProvider;
import org.jspecify.annotations.Nullable;

/** The main class of {@code fmirun}: reads the options, runs the job, exits with its status. */
public final class FmiRun {
  private static final int USAGE = 64;
  private static final int FAILED = 70;
  private static final int SIGPIPE = 13;

  /** Signals that end a job. */
  private static final List<String> TO_END = List.of("INT", "TERM", "HUP");

  private static final String SHARED_MEMORY = "shm";

  private FmiRun() {}

  public static void main(String[] args) {
    int status = run(List.of(args));
    System.out.flush();
    System.err.flush();
    // Not exit, which begins with a search for a logger in all jars.
    Runtime.getRuntime().halt(status);
  }

  private static int run(List<String> args) {
    if (args.isEmpty()) {
      System.out.print(Settings.help());
      return USAGE;
    }
    try {
      Installation installation = Installation.current();
      Settings settings = Settings.read(args, System.getenv(), installation.settings());
      switch (settings.request()) {
        case HELP -> {
          System.out.print(Settings.help());
          return 0;
        }
        case VERSION -> {
          System.out.println("fmirun " + FmiRun.class.getPackage().getImplementationVersion());
          return 0;
        }
        case RUN -> {
          // see below
        }
      }
      Map<String, String> environment = System.getenv();
      Path directory = RunOptions.asNamed(Path.of("").toAbsolutePath(), environment);
      RunOptions options = RunOptions.of(settings, environment, directory, FmiRun::isKnownHost);
      options.checkTexts(NativeText.charset());
      String remark = options.remark();
      if (remark != null) {
        System.err.println("fmirun: " + remark);
      }
      return run(
          options,
          installation,
          open(options.output().events()),
          openFiles(options.output().directory()));
    } catch (InvalidPathException e) {
      System.err.println(
          "fmirun: "
              + e.getInput()
              + ": not a file name in the character set of the locale, "
              + System.getProperty("native.encoding")
              + "; use a UTF-8 locale, such as LC_ALL=C.UTF-8");
      return USAGE;
    } catch (UsageException e) {
      System.err.println("fmirun: " + e.getMessage());
      return USAGE;
    } catch (IOException e) {
      System.err.println("fmirun: " + Refusal.text(e));
      return FAILED;
    }
  }

  private static @Nullable EventLog open(@Nullable Path file) throws UsageException {
    if (file == null) {
      return null;
    }
    try {
      return new EventLog(file);
    } catch (IOException e) {
      throw new UsageException(
          "--events " + file + ": cannot be written (" + e + "); name a writable file");
    }
  }

  private static @Nullable OutputFiles openFiles(@Nullable Path directory) throws UsageException {
    if (directory == null) {
      return null;
    }
    try {
      return new OutputFiles(directory);
    } catch (IOException e) {
      throw new UsageException(
          "--output "
              + directory
              + ": cannot be written to ("
              + e
              + "); name a writable directory");
    }
  }

  private static int run(
      RunOptions options,
      Installation installation,
      @Nullable EventLog events,
      @Nullable OutputFiles files)
      throws IOException, UsageException {
    SecureRandom random = new SecureRandom();
    byte[] secret = new byte[32];
    random.nextBytes(secret);
    String jobId = Succession.newJobId();
    // What a signal's default action does would meet the copying of the program: it deletes the
    // copy while files are added.
    EarlySignals early = new EarlySignals();
    TO_END.forEach(name -> onSignal(name, early::arrived));
    if (!options.where().isLocal()) {
      // No daemon on this machine deletes what an fmirun that was killed has left here. Before
      // anything is made, because a look at this process's own lock would release it.
      DeadJobs.sweep();
    }
    try (JobProgram program = JobProgram.of(options, jobId, secret)) {
      return early.prepared() == 0
          ? run(options, installation, events, files, jobId, secret, program, early)
          : EarlySignals.STATUS + early.first();
    } catch (IOException e) {
      if (early.prepared() != 0) {
        return EarlySignals.STATUS + early.first(); // what was interrupted is no error
      }
      throw e;
    }
  }

  private static int run(
      RunOptions options,
      Installation installation,
      @Nullable EventLog events,
      @Nullable OutputFiles files,
      String jobId,
      byte[] secret,
      JobProgram program,
      EarlySignals early)
      throws IOException, UsageException {
    Level2Files level2 = Level2Files.of(options, jobId, program.facts());
    List<String> hosts = options.spec().nodes().stream().map(JobSpec.Node::name).toList();
    Addresses addresses = new Addresses(hosts);
    boolean local = options.where().isLocal();
    if (local) {
      LocalNetwork.check(InetAddress.getLoopbackAddress());
    }
    LentNodes lent =
        options.where() instanceof Where.Slurm slurm
            ? new LentNodes(slurm.allocation(), System.getenv(), slurm.requestSeconds())
            : null;
    Succession[] shell = new Succession[1];
    MemoryBudget memory = new MemoryBudget(options.spec().size(), hosts.size());
    Console console =
        new Console(
            files,
            memory.consoleBytes(),
            options.output().tagged(),
            options.output().timed(),
            () -> shell[0].interrupt(SIGPIPE),
            () -> shell[0].outputLost());
    JobMetrics metrics = open(options, jobId, console::line);
    shell[0] =
        new Succession(
            options,
            new JobController(options.spec()),
            new ShellContext(
                jobId,
                jobId,
                secret,
                program,
                launcher(options.where(), lent, installation),
                local
                    ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                    : new InetSocketAddress(0),
                node ->
                    local
                        ? List.of(InetAddress.getLoopbackAddress().getHostAddress())
                        : addresses.forHost(node),
                options.processes().input()
                    ? new FileInputStream(FileDescriptor.in)
                    : InputStream.nullInputStream(),
                console,
                events,
                metrics,
                level2,
                lent));
    TO_END.forEach(name -> onSignal(name, shell[0]::interrupt));
    if (early.first() != 0) {
      shell[0].interrupt(early.first());
    }
    onSignal("USR1", _ -> shell[0].stopSoon("signal USR1"));
    onSignal(
        "TSTP", _ -> console.line("fmirun: cannot be suspended: its nodes would treat it as dead"));
    console.start();
    if (options.where() instanceof Where.Slurm slurm
        && options.output().verbosity() != Verbosity.QUIET) {
      Allocation allocation = slurm.allocation();
      console.line(
          "fmi: running on the nodes of Slurm job "
              + allocation.job()
              + ", "
              + allocation.list()
              + "; Slurm ends the job when a node is lost, unless it was submitted with --no-kill");
    }
    watchSlurm(options, lent, console, shell[0]);
    if (options.output().verbosity() != Verbosity.QUIET) {
      program.remarks().forEach(line -> console.line("fmi: " + line));
      String warning = memory.warning(Runtime.getRuntime().maxMemory());
      if (warning != null) {
        console.line("fmi: " + warning);
      }
    }
    if (options.output().verbosity() == Verbosity.VERBOSE) {
      console.line("fmi: " + StartText.of(options));
      describeMachine(options, console);
    }
    return shell[0].run();
  }

  /**
   * Prints the findings of shared memory on this machine, if all nodes are on it; for other hosts
   * there is `fmi doctor`.
   */
  private static void describeMachine(RunOptions options, Console console) {
    List<String> asked = options.job().transports();
    if (options.where().isLocal() && (asked.isEmpty() || asked.contains(SHARED_MEMORY))) {
      for (TransportProvider transport : Transports.find()) {
        if (transport.name().equals(SHARED_MEMORY)) {
          transport.diagnose().forEach(finding -> console.line("fmi: " + finding.text()));
        }
      }
    }
  }

  private static void watchSlurm(
      RunOptions options, @Nullable LentNodes lent, Console console, Succession shell) {
    if (options.where() instanceof Where.Slurm slurm && lent != null) {
      new SlurmWatch(
              slurm.allocation(),
              lent,
              System.getenv(),
              slurm.stopBeforeSeconds(),
              new SlurmWatch.Listener() {
                @Override
                public void endsIn(long seconds) {
                  shell.stopSoon("Slurm ends the job in " + seconds + " s");
                }

                @Override
                public void leaving(String node, String why) {
                  shell.leaving(node, why);
                }

                @Override
                public void stays(String node, String why) {
                  shell.stays(node, why);
                }
              })
          .start(line -> console.line("fmi: " + line));
    }
  }

  private static Launcher launcher(
      Where where, @Nullable LentNodes lent, Installation installation) {
    String home = installation.home().toString();
    return switch (where) {
      case Where.Local _ -> new LocalLauncher(installation);
      case Where.Ssh ssh -> RemoteLauncher.ssh(Objects.requireNonNullElse(ssh.prefix(), home));
      case Where.Slurm slurm ->
          RemoteLauncher.slurm(
              Objects.requireNonNull(lent),
              slurm.arguments(),
              Objects.requireNonNullElse(slurm.prefix(), home));
    };
  }

  private static @Nullable JobMetrics open(RunOptions options, String jobId, Consumer<String> say)
      throws UsageException {
    MetricsOptions asked = options.metrics();
    if (asked.isEmpty()) {
      return null;
    }
    try {
      return new JobMetrics(options.spec(), jobId, asked.listenAt(), asked.pushTo(), say);
    } catch (IOException e) {
      throw new UsageException(
          "--metrics-port: cannot listen at "
              + asked.listenAt()
              + " ("
              + e.getMessage()
              + "); choose another port, or 0 for any free port");
    }
  }

  /** Whether a name can be resolved, by the system or as an alias of ssh. */
  private static boolean isKnownHost(String name) {
    String host = name.substring(name.indexOf('@') + 1);
    try {
      InetAddress _ = InetAddress.getByName(host);
      return true;
    } catch (UnknownHostException e) {
      return isAlias(host);
    }
  }

  private static boolean isAlias(String host) {
    try {
      Process ssh = new ProcessBuilder("ssh", "-G", "--", host).start();
      ssh.getOutputStream().close();
      List<String> settings =
          new String(ssh.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      for (String setting : settings) {
        if (setting.startsWith("proxyjump ") || setting.startsWith("proxycommand ")) {
          return true;
        }
        if (setting.startsWith("hostname ")) {
          InetAddress _ = InetAddress.getByName(setting.substring("hostname ".length()));
        }
      }
      return !settings.isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Installs a handler of a signal, by reflection: the compiler warns of the only class that can do
   * it, and that warning cannot be turned off.
   */
  private static void onSignal(String name, IntConsumer handler) {
    try {
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Object signal = signalClass.getConstructor(String.class).newInstance(name);
      int number = (int) signalClass.getMethod("getNumber").invoke(signal);
      InvocationHandler forward =
          (proxy, method, arguments) -> {
            if (method.getName().equals("handle")) {
              handler.accept(number);
            }
            return null;
          };
      Object proxy =
          Proxy.newProxyInstance(
              FmiRun.class.getClassLoader(), new Class<?>[] {handlerClass}, forward);
      Object _ =
          signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, signal, proxy);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this JDK cannot handle signals", e);
    }
  }
}
