"""Runs jobs for the benchmarks and reads their event files. Standard library only."""

import atexit
import bisect
import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMEOUT_SECONDS = 1800
STOP_SECONDS = 60
TICK = os.sysconf("SC_CLK_TCK")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # jobs end too, and tables tell what there is


def open_mpi_tool(name):
    """Debian's name first: the plain one may be another MPI's. None without Open MPI."""
    return shutil.which(name + ".openmpi") or shutil.which(name)


def run_to_end(command):
    """Runs a program of FMI or Open MPI, as root too; returns what it printed and its status."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise SystemExit(f"not ended after {TIMEOUT_SECONDS} s: {' '.join(command)}")


def build():
    """Builds what is stale, before anything is timed."""
    subprocess.run([os.path.join(ROOT, "dev", "build")], check=True)


def jar(name):
    folder = "bench" if name in ("behaviour", "changed", "charts", "checkpoint", "first-sweep", "log-collective", "log-pingpong", "long-reductions", "papers", "peers", "shrinking", "stream", "unprotected", "waiting") else "examples"
    return os.path.join(ROOT, folder, "target", name + ".jar")


def taken(directory):
    """The name of a process or thread, and the time of a core that it has taken so far."""
    with open(f"{directory}/stat") as file:
        name, _, fields = file.read().partition("(")[2].rpartition(")")
    return name, sum(map(int, fields.split()[11:13])) / TICK


def core_seconds(pids):
    """The time of a core that processes have taken so far."""
    return sum(taken(f"/proc/{pid}")[1] for pid in pids)


def machine_seconds():
    """The time of a core that all processes of this machine have taken since it started."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / TICK


def progress(text):
    """Beside the table, which is on the standard output."""
    print(text, file=sys.stderr, flush=True)


class JobFailed(SystemExit):
    """A job has ended too early or badly, or has not come to its end in its time."""


class Job:
    """A running fmirun. Event times are those of System.nanoTime, which is time.monotonic_ns here.

    With a timeout, in seconds from its start, a wait for an event or for the end fails then."""

    def __init__(self, *arguments, timeout=None):
        self._timeout = timeout
        self._folder = tempfile.TemporaryDirectory()
        self._events_file = os.path.join(self._folder.name, "events")
        self._seen = 0
        self.events = []
        self._mark = f"BENCH_JOB={os.getpid()}.{id(self)}".encode()  # inherited by all processes of the job
        self.begin_ns = time.monotonic_ns()
        self._process = subprocess.Popen(
            [os.path.join(ROOT, "fmirun"), "--events", self._events_file, "--quiet", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            env=dict([self._mark.decode().split("=")], **os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.stop)

    def _read_events(self):
        try:
            with open(self._events_file, "rb") as file:
                file.seek(self._seen)
                lines = file.read().splitlines(keepends=True)
        except FileNotFoundError:
            return
        for line in lines:
            if line.endswith(b"\n"):  # or it is incomplete
                self.events.append(json.loads(line))
                self._seen += len(line)

    def wait_for(self, accept):
        """Waits for an event; fails if the job ends before."""
        checked = 0
        while True:
            ended = not self.runs()
            self._read_events()
            for event in self.events[checked:]:
                if accept(event):
                    return event
            checked = len(self.events)
            if ended:
                raise JobFailed(f"the job ended too early:\n{self._process.communicate()[1]}")
            if self._left() == 0:
                raise JobFailed(f"what was awaited did not happen within {self._timeout} s")
            time.sleep(0.002)

    def copy_events(self, to):
        shutil.copy(self._events_file, to)

    def runs(self):
        return self._process.poll() is None

    def _left(self):
        """Seconds to wait for it."""
        return max(0, self.begin_ns / 1e9 + self._timeout - time.monotonic()) if self._timeout else TIMEOUT_SECONDS

    def stop(self):
        """Ends it before its time, with force where it does not end by itself."""
        if self.runs():
            self._process.terminate()
            try:
                self._process.communicate(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                for pid in self.processes():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self._process.communicate()
        self._folder.cleanup()

    def finish(self):
        """Waits for the end; returns the result line's keys and values. The job must end well."""
        try:
            out, err = self._process.communicate(timeout=self._left())
        except subprocess.TimeoutExpired as late:
            self.stop()
            raise JobFailed(f"not ended after {late.timeout:.0f} s: {' '.join(self._process.args)}") from None
        self.seconds = (time.monotonic_ns() - self.begin_ns) / 1e9
        self._read_events()
        self._folder.cleanup()
        result = re.findall(r"^result (.*)$", out, re.MULTILINE)
        if self._process.returncode != 0 or not result:
            raise JobFailed(f"status {self._process.returncode}: {' '.join(self._process.args)}\n{out}{err}")
        return dict(pair.split("=", 1) for pair in result[-1].split())

    def all(self, name):
        return [event for event in self.events if event["event"] == name]

    def count(self, name):
        """How many there have been by now."""
        self._read_events()
        return len(self.all(name))

    def recovers(self):
        """Whether a recovery has begun and not ended."""
        self._read_events()
        begun = [event["epoch"] for event in self.all("RecoveryBegun")]
        return bool(begun) and begun[-1] > self.all("AllRunning")[-1]["epoch"]

    def node_of(self, rank):
        """Which node a rank is on; --ppn must divide the number of ranks."""
        self._read_events()
        respawned = [event["node"] for event in self.all("Respawned") if event["rank"] == rank]
        started = self.all("Started")[0]
        return respawned[-1] if respawned else rank // (started["ranks"] // started["nodes"])

    def kill_node(self, node):
        """Kills all processes of a node, its daemon first: fmirun then deletes its memory."""
        processes = [pid for of, pid in self.processes_by_node() if of == node]
        daemons = set()
        for pid in processes:
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
                daemons.add(int(file.read().rpartition(")")[2].split()[1]))  # the parent
        if len(daemons) != 1:
            raise SystemExit(f"the daemon of node {node} is not found: the parents of {processes} are {daemons}")
        for pid in (*daemons, *processes):
            with contextlib.suppress(ProcessLookupError):  # ranks end with their daemon
                os.kill(pid, signal.SIGKILL)

    def warm_nanos(self):
        """From the first checkpoint, which has been taken, until what stands by is ready: docs/operating.md says when it starts."""
        start = self.all("CheckpointCommitted")[0]["nanos"] - self.all("Submitted")[0]["nanos"]
        return max(5 * 10**9, min(4 * start, 30 * 10**9)) + 3 * 10**9

    def processes(self):
        """Process numbers, each with its environment."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:  # or it has ended meanwhile
                environment = file.read()
                if self._mark in environment.split(b"\0"):
                    found[int(pid)] = environment
        return found

    def processes_by_node(self):
        """Pairs of node and process number: ranks, and what stands by for them, on nodes with ranks."""
        self._read_events()
        occupied = {self.node_of(rank) for rank in range(self.all("Started")[0]["ranks"])}
        found = []
        for pid, environment in self.processes().items():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    is_rank = b"\0org.fmi.run.rank.RankMain\0" in file.read()
            except OSError:
                continue  # it has ended meanwhile
            node = re.search(rb"FMI_DAEMON_SOCKET=\S*-(\d+)-[0-9a-f]+/daemon.sock", environment)
            if is_rank and node and int(node[1]) in occupied:
                found.append((int(node[1]), pid))
        return sorted(found)


class CoreTime(threading.Thread):
    """Follows what the machine's cores do while a job runs, and what of it the compilers of the job's JVMs take. It asks the
    system, and the job does nothing for it. What a compiler does in the last second of a process may be missed."""

    def __init__(self, job):
        super().__init__(daemon=True)
        self._job = job
        self._ended = threading.Event()
        self._seen = [(time.monotonic_ns(), machine_seconds())]
        self._compilers = {}
        self.start()

    def run(self):
        due = time.monotonic()
        while not self._ended.wait(0.05):
            self._seen.append((time.monotonic_ns(), machine_seconds()))
            if time.monotonic() >= due:
                due += 1
                for pid in self._job.processes():
                    self._look_at(pid)

    def _look_at(self, pid):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for thread in os.listdir(f"/proc/{pid}/task"):
                name, seconds = taken(f"/proc/{pid}/task/{thread}")
                if name in ("C1 CompilerThre", "C2 CompilerThre"):  # the system cuts names
                    self._compilers[pid, thread] = seconds

    def end(self):
        self._ended.set()
        self.join()
        self._seen.append((time.monotonic_ns(), machine_seconds()))

    def _until(self, nanos):
        after = min(max(bisect.bisect(self._seen, (nanos,)), 1), len(self._seen) - 1)
        (earlier, less), (later, more) = self._seen[after - 1:after + 1]
        return less + (more - less) * (nanos - earlier) / (later - earlier)

    def between(self, event, other):
        """Seconds of a core that the machine took from one event to another."""
        return self._until(other["nanos"]) - self._until(event["nanos"])

    def whole(self):
        return self._seen[-1][1] - self._seen[0][1]

    def compilers(self):
        return sum(self._compilers.values())


def measure_points(command, points, warm_up, seconds):
    """What measure finds, as {(operation, bytes): value}."""
    return {(operation, size): value for operation, size, value in measure(command, points, warm_up, seconds)}


def measure(command, points, warm_up, seconds):
    """Runs one of the programs of bench/peers, which measures points, OPERATION:BYTES; [(operation, bytes, value)]."""
    command = [*command, str(warm_up), str(seconds), *points]
    job = run_to_end(command)
    lines = re.findall(r"^([a-z-]+),\d+,(\d+),([0-9.]+)$", job.stdout, re.MULTILINE)
    if job.returncode != 0 or len(lines) != len(points):
        raise SystemExit(f"status {job.returncode}, {len(lines)} of {len(points)} results: {' '.join(command)}\n{job.stdout}{job.stderr}")
    return [(operation, int(size), float(value)) for operation, size, value in lines]


def p90(values):
    return sorted(values)[max(0, -(-len(values) * 9 // 10) - 1)]


def median_and_p90(values, digits=2):
    return f"{statistics.median(values):.{digits}f} ({p90(values):.{digits}f})"


def median_and_worst(values, digits=1):
    return f"{statistics.median(values):.{digits}f} (worst {max(values):.{digits}f})"
