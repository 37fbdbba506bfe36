package org.fmi.run.slurm;

import java.util.List;

/**
 * How the daemon of a lent node gets its instructions. The script of the node's own job of Slurm
 * runs it, so that no srun of another job can end it; a step of that job, started by fmirun, brings
 * what it is to know, which holds the job's secret, and prints what it prints. Both meet in a
 * directory in memory that only the user can enter, and that is gone once they have met.
 */
final class HandOver {
  /**
   * The script of the node's job. It ends with the daemon, or when nobody brings instructions: then
   * fmirun is dead. Slurm ends the job by one TERM to all its processes. A daemon that was killed
   * could not clean up; the script does.
   */
  static final String SCRIPT =
      """
      trap '' USR1
      ended=
      trap ended=1 TERM
      d=/dev/shm/fmi-lent-$SLURM_JOB_ID
      mkdir -m 700 "$d" || exit
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
        0 | 70 | 143) ;;
        *) daemon --fence ;;
      esac
      echo "fmi-lent: $status" >&4
      """;

  /** A step next to it; Slurm may say that a script runs before it does. */
  private static final String STEP =
      """
      trap '' USR1
      d=/dev/shm/fmi-lent-$1
      tries=0
      until [ -p "$d/out" ]; do
        tries=$((tries + 1))
        [ $tries -le 300 ] || { echo "fmi-daemon: Slurm job $1 does not run its script"; exit 70; }
        sleep 0.1
      done
      [ -O "$d" ] || { echo "fmi-daemon: $d belongs to somebody else"; exit 70; }
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
   * The command of the step. It hands its standard input over, prints what the daemon prints, and
   * ends with its status.
   *
   * @param job the number of the node's job
   * @param daemon the path of the program
   */
  static List<String> step(String job, String daemon) {
    return List.of("sh", "-c", STEP, "fmi-hand-over", job, daemon);
  }
}
