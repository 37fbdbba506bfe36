# Sourced by the scripts in bin and by make-aot-caches, which set home to where FMI is installed.

# Sets version to the major one of the JDK in directory $1; to 0 if there is no JDK.
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

# Sets java to the java program of a JDK 25 or newer, or says in one line that there is none.
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

# Says in one line why no JVM could run here.
fmi_check_directory() {
  if [ ! . -ef "$PWD" ]; then
    echo "$1: the working directory is not there any more; change to one that is" >&2
    exit 64
  fi
}

# Says in one line that the JVMs of a job cannot share what they would all take from a variable: each, fmirun's own
# too, would open the port for a debugger.
fmi_check_debugger() {
  local name port
  for name in JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS; do
    [[ ${!name-} =~ jdwp.*address=([^,[:space:]]*) ]] || continue
    port=${BASH_REMATCH[1]}
    if [[ ! $port =~ ^(.*:)?0$ ]]; then
      echo "$1: $name: each JVM of the job would take the port $port for a debugger, that of fmirun first; unset it, and name a rank, as in -J 0:-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=*:5005" >&2
      exit 64
    fi
  done
}

# Sets class_path to the jars in the directories given. They are in the same order always: an AOT
# cache is bound to it.
fmi_class_path() {
  local LC_ALL=C IFS=: directory jars=()
  for directory; do
    jars+=("$directory"/*.jar)
  done
  class_path=${jars[*]}
}

# Makes the AOT caches of a new installation, before its first program is run. Where its user may not write
# there are none, as after a failure.
fmi_first_run() {
  local argument
  [ ! -s "$home/lib/aot/release" ] && [ ! -e "$home/lib/aot/failed" ] && [ -w "$home/lib" ] || return 0
  for argument; do
    case $argument in
      -h | --help | --version) return 0 ;;
    esac
  done
  echo "fmirun: making AOT caches, with which FMI starts faster (first run only)" >&2
  "$home/lib/make-aot-caches" 20 </dev/null >&2 || true
}

# Replaces this shell by the JVM of fmirun or a daemon: its kind, its class path, and the rest, with a
# heap's least and most (a site's variables may give one of them alone). With an AOT cache it starts in half
# the time; one made by another JDK is as good as none. Little of what they run is worth compiling, and what they
# call by reflection they call but a few times. The selector's provider, for which Netty asks, is the one that the JVM
# would take after it has looked for others in all jars; so picocli would look for Groovy.
fmi_exec() {
  # Where input is closed, the JVM would take the first file it opens for it.
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
    # Most pages of the cache are written to. All of them at once is cheaper than one after the other, of each of which
    # the other cores are told; the heap that is touched with it is small.
    options+=("-Dfmi.aot=$home/lib/aot" "-XX:AOTCache=$home/lib/aot/$1.aot" -Xlog:aot=off -Xlog:cds=off
      -XX:+AlwaysPreTouch)
    # With huge pages, where there may be some, the JVM has the system do it in one call.
    local pages
    if read -r pages 2>/dev/null </sys/kernel/mm/transparent_hugepage/enabled && [[ $pages != *'[never]'* ]]; then
      options+=(-XX:+UseTransparentHugePages)
    fi
  fi
  exec "$java" @"$home/lib/jvm.options" "${options[@]}" -cp "$2" "${@:3}"
}
