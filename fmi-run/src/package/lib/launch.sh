# Sourced by the scripts in bin and by make-aot-caches, which set home to the directory of FMI.

# Sets version to the major version of the JDK in directory $1; to 0 if there is no JDK.
fmi_java_version() {
  local line
  version=0
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    if [[ $line =~ ^JAVA_VERSION=\"([0-9]+) ]]; then
      version=${BASH_REMATCH[1]}
    fi
  done <"$1/release"
}

# Sets places to the directories that may hold a JDK.
fmi_java_places() {
  local on_path
  on_path=$(command -v java || true)
  [ -z "$on_path" ] || on_path=$(readlink -f "$on_path")
  places=("${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* "${on_path%/bin/java}")
}

# Sets java to the java program of a JDK 25 or newer, or exits with a one-line message.
fmi_find_java() {
  local tool=$1 place version newest=0 places=()
  if [ -n "${FMI_JAVA_HOME:-}" ]; then
    places=("$FMI_JAVA_HOME")
  else
    fmi_java_places
  fi
  for place in "${places[@]}"; do
    fmi_java_version "$place"
    if [ "$version" -ge 25 ]; then
      java=$place/bin/java
      return 0
    fi
    [ "$version" -le "$newest" ] || newest=$version
  done
  local found="none was found"
  [ "$newest" = 0 ] || found="the newest found is $newest"
  if [ -n "${FMI_JAVA_HOME:-}" ]; then
    echo "$tool: FMI_JAVA_HOME=$FMI_JAVA_HOME: no JDK 25 there ($found); set it to the directory of a JDK 25" >&2
  else
    echo "$tool: FMI needs a JDK 25, $found on $(uname -n) (looked in JAVA_HOME, /usr/lib/jvm, /opt/java, PATH); install one (package temurin-25-jdk of https://adoptium.net, or openjdk-25-jdk), or set FMI_JAVA_HOME to its directory" >&2
  fi
  exit 70
}

# Exits with a one-line message if no JVM could run in the working directory.
fmi_check_directory() {
  if [ ! . -ef "$PWD" ]; then
    echo "$1: the working directory does not exist any more; change to another directory" >&2
    exit 64
  fi
}

# Exits with a one-line message if a variable gives a debugger's port to all JVMs: each, including fmirun's own, would
# open it.
fmi_check_debugger() {
  local name port
  for name in JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS; do
    [[ ${!name-} =~ jdwp.*address=([^,[:space:]]*) ]] || continue
    port=${BASH_REMATCH[1]}
    if [[ ! $port =~ ^(.*:)?0$ ]]; then
      echo "$1: $name: each JVM of the job would open the debugger port $port, starting with fmirun; unset it, and name a rank, as in -J 0:-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=*:5005" >&2
      exit 64
    fi
  done
}

# Sets class_path to the jars in the given directories, always in the same order, to which AOT caches
# are bound.
fmi_class_path() {
  local LC_ALL=C IFS=: directory jars=()
  for directory; do
    jars+=("$directory"/*.jar)
  done
  class_path=${jars[*]}
}

# Makes the AOT caches of a new installation, before its first program runs. If the user may not write
# there, there are none, as after a failure.
fmi_first_run() {
  local argument
  [ ! -s "$home/lib/aot/release" ] && [ ! -e "$home/lib/aot/failed" ] && [ -w "$home/lib" ] || return 0
  for argument; do
    case $argument in
      -h | --help | --version) return 0 ;;
    esac
  done
  echo "fmirun: making AOT caches to start faster (first run only)" >&2
  "$home/lib/make-aot-caches" 20 </dev/null >&2 || true
}

# Replaces this shell by the JVM of fmirun or a daemon. Arguments: its kind, its class path, and the rest, with
# minimum and maximum heap size (a site's variables may give only one of them). An AOT cache halves the start; a cache
# of another JDK is ignored. Little of the code is worth compiling, and reflective calls are few. The selector provider
# that Netty needs is the JVM's default, named here to avoid a search of all jars; likewise picocli's search for Groovy.
fmi_exec() {
  # If input is closed, the JVM would use the first file it opens as input.
  [ -e /proc/self/fd/0 ] || exec </dev/null
  local options=(-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=8 -XX:-UsePerfData
    -Djdk.reflect.useNativeAccessorOnly=true -Dpicocli.disable.closures=true
    -Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.EPollSelectorProvider
    "-Djava.library.path=$home/lib/native${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/java/packages/lib:/usr/lib64:/lib64:/lib:/usr/lib"
    "-Dfmi.home=$home")
  case "${JDK_JAVA_OPTIONS-} ${JAVA_TOOL_OPTIONS-} ${_JAVA_OPTIONS-}" in
    *-XX:+Use*GC*) ;; # the JVM refuses a second collector
    *) options+=(-XX:+UseSerialGC) ;;
  esac
  if cmp -s "$home/lib/aot/release" "${java%/bin/java}/release"; then
    # Most pages of the cache are written to. Touching all at once is cheaper than one by one, because each fault
    # notifies the other cores; the heap that is touched with them is small.
    options+=("-Dfmi.aot=$home/lib/aot" "-XX:AOTCache=$home/lib/aot/$1.aot" -Xlog:aot=off -Xlog:cds=off
      -XX:+AlwaysPreTouch)
    # With huge pages, where available, the JVM does that in one system call.
    local pages
    if read -r pages 2>/dev/null </sys/kernel/mm/transparent_hugepage/enabled && [[ $pages != *'[never]'* ]]; then
      options+=(-XX:+UseTransparentHugePages)
    fi
  fi
  exec "$java" @"$home/lib/jvm.options" "${options[@]}" -cp "$2" "${@:3}"
}
