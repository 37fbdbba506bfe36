# Sourced by the scripts in bin: sets java to the java program of a JDK 25 or newer, or says in one
# line that there is none.

# Prints the major version of the JDK in directory $1; nothing if there is no JDK.
fmi_java_version() {
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

fmi_find_java() {
  local tool=$1 candidate version newest=0 candidates=() on_path
  if [ -n "${FMI_JAVA_HOME:-}" ]; then
    candidates=("$FMI_JAVA_HOME")
  else
    on_path=$(command -v java || true)
    [ -z "$on_path" ] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    candidates=("${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* "$on_path")
  fi
  for candidate in "${candidates[@]}"; do
    version=$(fmi_java_version "$candidate")
    if [ "${version:-0}" -ge 25 ]; then
      java=$candidate/bin/java
      return 0
    fi
    [ "${version:-0}" -le "$newest" ] || newest=$version
  done
  local found="none was found"
  [ "$newest" = 0 ] || found="the newest found is $newest"
  if [ -n "${FMI_JAVA_HOME:-}" ]; then
    echo "$tool: FMI_JAVA_HOME=$FMI_JAVA_HOME: no JDK 25 there ($found); set it to the directory of a JDK 25" >&2
  else
    echo "$tool: FMI needs a JDK 25, $found on $(uname -n) (in JAVA_HOME, /usr/lib/jvm, PATH); install one, or set FMI_JAVA_HOME to its directory" >&2
  fi
  exit 70
}
