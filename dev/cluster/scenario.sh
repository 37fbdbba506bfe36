# Common part of scripts that run FMI on a virtual cluster, which set CLUSTER_NAME and NODES and source this.
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
REPOSITORY=$(readlink -f "$HERE/../..")
FMIRUN=$REPOSITORY/fmi-run/target/fmi/bin/fmirun
EXAMPLES=$REPOSITORY/examples/target
cluster=$HERE/cluster

fail() {
  echo "FAILED: $*" >&2
  for f in "$work/${name:+$name.}"*; do [ ! -f "$f" ] || { echo "--- $(basename "$f")"; tail -n 40 "$f"; }; done >&2
  exit 1
}

# cluster_up N [slurm]: until the script ends, or longer with keep; files go to $work
cluster_up() {
  local file
  for file in "$FMIRUN" "$EXAMPLES/himeno.jar"; do
    [ -e "$file" ] || { echo "missing $file: build first, with 'dev/mvn verify'" >&2; exit 1; }
  done
  mkdir -p "$HERE/state"
  work=$(mktemp -d "$HERE/state/$CLUSTER_NAME.XXXXXX")   # nodes do not see /tmp
  trap cleanup EXIT
  "$cluster" down
  "$cluster" up "$@"
}

cleanup() {
  if [ "${keep-}" ]; then echo "cluster '$CLUSTER_NAME' is still up, files are in $work"; return; fi
  "$cluster" down
  rm -rf "$work"
}

expect_status() { # NAME STATUS
  [ "$(cat "$work/$1.status")" = "$2" ] || fail "$1: exit status $(cat "$work/$1.status"), not $2"
}

value() { # NAME KEY: from the result line
  sed -n "s/^result .*\b$2=\([^ ]*\).*/\1/p" "$work/$1.out"
}

has_event() { # NAME EVENT [text in the same line]
  awk -v event="\"event\" *: *\"$2\"" -v text="${3-}" \
    '$0 ~ event && $0 ~ text { found = 1 } END { exit !found }' "$work/$1.events" 2>/dev/null
}

# await SECONDS WHAT COMMAND...: until the command succeeds
await() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    (( SECONDS < deadline )) || fail "$what"
    sleep 0.02
  done
}

has_checkpoint() { # NAME: of some iteration
  has_event "$1" CheckpointCommitted '"iteration" *: *[1-9]'
}

# Leftovers of FMI are processes other than the node's own, files, or ports.
leftovers() {
  local i found
  for i in $NODES; do
    "$cluster" exec "$i" true 2>/dev/null || continue
    found=$("$cluster" exec "$i" bash -c '
      for p in /proc/[0-9]*; do
        read -r name < $p/comm || continue
        case $name in tini|sleep|sshd|bash|munged|slurmd|slurmctld|slurmscriptd) ;; *) echo "process $name ${p#/proc/}" ;; esac
      done 2>/dev/null
      # The repository may be below /tmp.
      find /dev/shm /tmp -mindepth 1 -path "$0" -prune -o ! -name "hsperfdata*" ! -path "*/hsperfdata_*/*" -print |
        awk -v repository="$0" "index(repository, \$0 \"/\") != 1"
      ss -Hltnp | grep -vE "sshd|slurmd|slurmctld"' "$REPOSITORY" || true)
    [ -z "$found" ] || { echo "node$i: $found"; return; }
  done
}

# expect_no_leftovers NAME [SECONDS]: waits for processes that are about to end
expect_no_leftovers() {
  local left deadline=$((SECONDS + ${2-5}))
  while left=$(leftovers) && [ -n "$left" ]; do
    (( SECONDS < deadline )) || fail "$1: left behind on $left"
    sleep 0.1
  done
}
