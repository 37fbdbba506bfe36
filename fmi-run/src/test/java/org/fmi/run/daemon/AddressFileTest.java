package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.node.PrivateFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AddressFileTest {
  @TempDir private Path directory;
  private final List<FromDaemon> sent = new ArrayList<>();

  private static ToRank.Forward start(int epoch) {
    AddressTable table = AddressTable.of(List.of(Map.of("tcp", new byte[] {(byte) epoch})));
    return new ToRank.Forward(new JobMessage.Start(epoch, true, 7, table));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void ranksOfANodeShareOneFilePerEpoch() throws IOException {
    AddressFile file = new AddressFile(directory, sent::add);
    for (int epoch = 0; epoch < 3; epoch++) {
      ToRank.Begin begin = (ToRank.Begin) file.share(start(epoch));
      assertThat(file.share(start(epoch))).isEqualTo(begin);
      Path path = Path.of(begin.endpoints());
      assertThat(begin).isEqualTo(new ToRank.Begin(epoch, true, 7, path.toString()));
      assertThat(files()).containsExactly(path);
      assertThat(Files.getPosixFilePermissions(path))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      try (Arena arena = Arena.ofConfined()) {
        AddressTable table = AddressTable.in(PrivateFile.open(path, arena));
        assertThat(table.named("tcp").get(0)).isEqualTo(new byte[] {(byte) epoch});
      }
    }
    assertThat(sent).isEmpty();
  }

  @Test
  void otherMessagesGoAsTheyAre() throws IOException {
    AddressFile file = new AddressFile(directory, sent::add);
    ToRank release = new ToRank.Forward(new JobMessage.Release());
    assertThat(file.share(release)).isSameAs(release);
    ToRank stack = new ToRank.Stack();
    assertThat(file.share(stack)).isSameAs(stack);
    assertThat(files()).isEmpty();
  }

  @Test
  void whereItCannotBeWrittenEachRankIsToldAll() {
    AddressFile file = new AddressFile(directory.resolve("gone"), sent::add);
    ToRank start = start(1);
    assertThat(file.share(start)).isSameAs(start);
    assertThat(sent)
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.type(FromDaemon.Warning.class))
        .satisfies(w -> assertThat(w.text()).contains("gone"));
  }
}
