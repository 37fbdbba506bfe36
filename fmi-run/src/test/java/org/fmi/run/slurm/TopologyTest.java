package org.fmi.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of Slurm's topology; scontrol is a script here. */
final class TopologyTest {
  @TempDir private Path directory;

  private Map<String, String> racks(String script) throws IOException {
    new FakeSlurm(directory).command("scontrol", script);
    return Topology.racks(Map.of("PATH", directory + ":" + System.getenv("PATH")));
  }

  @Test
  void nodesOfOneSwitchAreInOneRack() throws IOException {
    assertThat(
            racks(
                """
                case $2$3 in
                topology)
                  echo 'SwitchName=left Level=0 LinkSpeed=1 Nodes=n[1-2]'
                  echo 'SwitchName=right Level=0 LinkSpeed=1 Nodes=n3'
                  echo 'SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3] Switches=left,right' ;;
                'hostnamesn[1-2]') echo n1; echo n2 ;;
                hostnamesn3) echo n3 ;;
                *) exit 1 ;;
                esac
                """))
        .containsExactlyInAnyOrderEntriesOf(Map.of("n1", "left", "n2", "left", "n3", "right"));
  }

  @Test
  void usuallyThereAreNone() throws IOException {
    assertThat(racks("echo 'No topology information available'")).isEmpty();
    assertThat(racks("exit 1")).isEmpty();
  }
}
