package org.fmi.run.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SshShellTest {
  /** One that is shared may hang, and a terminal shows what the daemon is told. */
  @Test
  void theUsersSettingsDoNotShareTheConnectionOrAddToIt() {
    assertThat(new SshShell().command("h1", List.of("kill", "it's")))
        .containsSequence("-o", "ControlMaster=no")
        .containsSequence("-o", "ControlPath=none")
        .containsSequence("-o", "RequestTTY=no")
        .containsSequence("-o", "ClearAllForwardings=yes")
        .containsSequence("-o", "ForwardAgent=no")
        .containsSequence("-o", "ForwardX11=no")
        .endsWith("--", "h1", "'kill' 'it'\\''s'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          255 | ssh: Could not resolve hostname h1: Name or service not known | unknown host h1 | false
          255 | Host key verification failed. | not known to ssh | false
          255 | root@h1: Permission denied (publickey,password). | ssh-copy-id h1 | false
          255 | ssh: connect to host h1 port 22: Connection refused | cannot reach h1 (connect to | false
          255 | ssh: connect to host h1 port 22: No route to host | No route to host | false
          127 | setsid: failed to execute ssh: No such file or directory | openssh-client | true
          127 | bash: line 1: /opt/fmi/bin/fmi-daemon: No such file or directory | --prefix | true
          70 | fmi-daemon: FMI needs a JDK 25, the newest found is 17 on h1 | needs a JDK 25 | false
          78 | fmi-daemon: --node-dir /data: no such directory on this node | --node-dir /data | true
          """)
  void saysInOneLineWhatIsWrong(int status, String line, String expected, boolean general) {
    StartFailure failure =
        new SshShell().explain("h1", "/opt/fmi", status, List.of("Welcome to h1", line));
    String text = failure.reason();
    assertThat(text).contains(expected).doesNotContain("\n");
    assertThat(text).doesNotStartWith("fmi-daemon: ");
    assertThat(failure.general()).isEqualTo(general);
  }

  @ParameterizedTest
  @CsvSource({"255", "1"})
  void saysSomethingEvenIfThereIsNothingToSay(int status) {
    assertThat(new SshShell().explain("h1", "/opt/fmi", status, List.of()).reason())
        .contains("status " + status);
  }
}
