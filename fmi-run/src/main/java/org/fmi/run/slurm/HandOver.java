package org.fmi.run.slurm;

import java.util.List;

/**
 * Delivers the instructions to the daemon of a lent node. The script of the node's own Slurm job
 * runs the daemon, so that no srun of another job can end it. A step of that job, started by
 * fmirun, brings the instructions, which contain the job's secret, and prints the daemon's output.
 * Both meet in a directory in memory that only the user can enter, and that is deleted once they
 * have met; its name has the numbers of the job and of the script's process. The next daemon or
 * fmirun there deletes it if the script was killed.
 */
final class HandOver {
  /**
   * The script of the node's job. It ends with the daemon, or when no instructions arrive because
   * fmirun is dead. Slurm ends the job by one TERM to all its processes. The script cleans up after
   * a daemon that was killed.
   */
  static final String SCRIPT =
      """
      trap '' USR1
      ended=
      trap ended=1 TERM
      # Of a name that nobody can take first.
      d=$(mktemp -d "/dev/shm/fmi-lent-$SLURM_JOB_ID-$$-XXXXXXXX") || exit
      mkfifo "$d/out"
      # Nobody need read yet.
      exec 3<>"$d/out" 4>"$d/out"
      tries=0
      until [ -e "$d/word" ] || [ -n "$ended" ] || [ $tries = 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
      done
      word=$(cat "$d/word" 2>/dev/null)
      exec 3<&-
      rm -r "$d"
      daemon() {
        printf '%s\n' "$word" | { read -r program; exec "$program" "$@"; } >&4 2>&1 4>&-
      }
      [ -n "$word" ] && [ -z "$ended" ] || exit
      daemon
      status=$?
      case $status in
        0 | 70 | 78 | 143) ;;
        *) daemon --fence ;;
      esac
      echo "fmi-lent: $status" >&4
      """;

  /** A step beside the script; Slurm may report that a script runs before it does. */
  private static final String STEP =
      """
      trap '' USR1
      find_script() {
        for d in "/dev/shm/fmi-lent-$1-"*; do
          pid=${d#"/dev/shm/fmi-lent-$1-"}
          [ -O "$d" ] && [ ! -L "$d" ] && [ -p "$d/out" ] && kill -0 "${pid%-*}" 2>/dev/null && return
        done
        return 1
      }
      tries=0
      until find_script "$1"; do
        tries=$((tries + 1))
        [ $tries -le 300 ] || { echo "fmi-daemon: Slurm job $1 did not start its script"; exit 70; }
        sleep 0.1
      done
      exec 3<"$d/out"
      { printf '%s\n' "$2"; cat; } >"$d/part" && mv "$d/part" "$d/word"
      status=137
      while IFS= read -r line <&3; do
        case $line in
          "fmi-lent: "*) status=${line#fmi-lent: } ;;
          *) printf '%s\n' "$line" ;;
        esac
      done
      exit "$status"
      """;

  private HandOver() {}

  /**
   * Returns the command of the step. It hands its standard input over, prints the daemon's output,
   * and ends with its status.
   *
   * @param job the number of the node's job
   * @param daemon the path of the program
   */
  static List<String> step(String job, String daemon) {
    return List.of("sh", "-c", STEP, "fmi-hand-over", job, daemon);
  }
}
