"""Runs jobs for the benchmarks and reads their event files. Standard library only."""

import json
import os
import re
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMEOUT_SECONDS = 1800


def jar(name):
    folder = "bench" if name == "checkpoint" else "examples"
    return os.path.join(ROOT, folder, "target", name + ".jar")


class Job:
    """A running fmirun. Event times are those of System.nanoTime, which is time.monotonic_ns here."""

    def __init__(self, *arguments):
        self._folder = tempfile.TemporaryDirectory()
        self._events_file = os.path.join(self._folder.name, "events")
        self._seen = 0
        self.events = []
        self.begin_ns = time.monotonic_ns()
        self._process = subprocess.Popen(
            [os.path.join(ROOT, "fmirun"), "--events", self._events_file, "--quiet", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _read_events(self):
        try:
            with open(self._events_file) as file:
                lines = file.read().split("\n")[:-1]  # what follows the last newline is incomplete
        except FileNotFoundError:
            return
        self.events += [json.loads(line) for line in lines[self._seen :]]
        self._seen = len(lines)

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
                raise SystemExit(f"the job ended too early:\n{self._process.communicate()[1]}")
            time.sleep(0.002)

    def runs(self):
        return self._process.poll() is None

    def finish(self):
        """Waits for the end; returns the result line's keys and values. The job must end well."""
        out, err = self._process.communicate(timeout=TIMEOUT_SECONDS)
        self.seconds = (time.monotonic_ns() - self.begin_ns) / 1e9
        self._read_events()
        self._folder.cleanup()
        result = re.findall(r"^result (.*)$", out, re.MULTILINE)
        if self._process.returncode != 0 or not result:
            raise SystemExit(f"status {self._process.returncode}: {' '.join(self._process.args)}\n{out}{err}")
        return dict(pair.split("=", 1) for pair in result[-1].split())

    def all(self, name):
        return [event for event in self.events if event["event"] == name]

    def rank_processes(self):
        """The process numbers of the ranks: the JVMs below fmirun that have no JVM below them."""
        parents, jvms = {}, set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    name, rest = re.match(r"\d+ \((.*)\) \S (\d+)", file.read()).groups()
            except OSError:
                continue
            parents[int(pid)] = int(rest)
            if name == "java":
                jvms.add(int(pid))

        def ancestors(pid):
            while pid in parents:
                pid = parents[pid]
                yield pid

        mine = [pid for pid in jvms if self._process.pid in ancestors(pid)]
        inner = {ancestor for pid in mine for ancestor in ancestors(pid)}
        return sorted(pid for pid in mine if pid not in inner)


def median_and_worst(values, digits=1):
    return f"{statistics.median(values):.{digits}f} (worst {max(values):.{digits}f})"
