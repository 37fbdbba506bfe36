package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A version is complete or does not count, at whichever step a process dies. */
class CommitTest {
  private static final PosixTarget REAL = new PosixTarget();

  @TempDir Path root;

  @Test
  void aVersionThatWasCommittedCounts() throws IOException {
    Samples.commit(REAL, root, 42);
    assertThat(versions()).containsExactly(42L);
    assertThat(Catalog.of(root).unusable()).isEmpty();
    verifyAll();
  }

  @Test
  void aVersionCountsOnlyIfComplete() throws IOException {
    int steps = 0;
    for (boolean done = false; !done; steps++) {
      for (long seed = 0; seed < 4; seed++) {
        Path here = Files.createDirectory(root.resolve(steps + "-" + seed));
        Samples.commit(REAL, here, 41);
        CutShort target = new CutShort(steps, seed);
        try {
          Samples.commit(target, here, 42);
        } catch (CutShort.Dead e) {
          target.lose();
        }
        done = target.isAlive();
        Catalog catalog = Catalog.of(here);
        for (Generation each : catalog.generations()) {
          each.verify();
        }
        List<Long> counted =
            catalog.generations().stream().map(each -> each.manifest().version()).toList();
        assertThat(counted)
            .as("step %d seed %d", steps, seed)
            .isIn(List.of(41L), List.of(41L, 42L));
        assertThat(catalog.unusable()).as("step %d seed %d", steps, seed).isEmpty();
        if (done) {
          assertThat(counted).containsExactly(41L, 42L);
        }
        // Leftover files do not disturb later versions.
        Samples.commit(REAL, here, 43);
        assertThat(Catalog.of(here).generations().getLast().manifest().version()).isEqualTo(43);
        new Publication(REAL, here).retain(Samples.JOB, 1, false, false);
        assertThat(names(here.resolve(Samples.JOB))).containsExactly("v0000000043");
        delete(here);
      }
    }
    assertThat(steps).isGreaterThan(25);
  }

  @Test
  void anInterruptedDeletionLeavesNoPartialVersion() throws IOException {
    int steps = 0;
    for (boolean done = false; !done; steps++) {
      Path here = Files.createDirectory(root.resolve("d" + steps));
      for (long version = 40; version < 44; version++) {
        Samples.commit(REAL, here, version);
      }
      CutShort target = new CutShort(steps, 0);
      try {
        new Publication(target, here).retain(Samples.JOB, 2, false, false);
      } catch (CutShort.Dead e) {
        target.lose();
      }
      done = target.isAlive();
      Catalog catalog = Catalog.of(here);
      assertThat(catalog.unusable()).isEmpty();
      for (Generation each : catalog.generations()) {
        each.verify();
      }
      assertThat(catalog.generations().stream().map(each -> each.manifest().version()))
          .contains(42L, 43L);
      new Publication(REAL, here).retain(Samples.JOB, 2, false, false);
      assertThat(names(here.resolve(Samples.JOB))).containsExactly("v0000000042", "v0000000043");
      delete(here);
    }
    assertThat(steps).isGreaterThan(10);
  }

  @Test
  void aFlippedBitMakesTheVersionUnusableAndLeavesTheOlderOne() throws IOException {
    Samples.commit(REAL, root, 41);
    Samples.commit(REAL, root, 42);
    SplittableRandom random = new SplittableRandom(3);
    List<Path> files = files(root.resolve("job-a/v0000000042"));
    assertThat(files).hasSize(3);
    for (int i = 0; i < 300; i++) {
      Path file = files.get(i % 3);
      byte[] bytes = Files.readAllBytes(file);
      int bit = random.nextInt(8 * bytes.length);
      bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
      Files.write(file, bytes);
      Catalog catalog = Catalog.of(root);
      catalog.generations().getFirst().verify();
      assertThat(catalog.generations().getFirst().manifest().version()).isEqualTo(41);
      if (catalog.generations().size() > 1) {
        assertThatThrownBy(() -> catalog.generations().get(1).verify(), "bit %d of %s", bit, file)
            .isInstanceOf(UnusableException.class)
            .hasMessageStartingWith(file.toString());
      } else {
        assertThat(catalog.unusable()).hasSize(1);
        // Damaged versions neither cause deletions nor are deleted.
        new Publication(REAL, root).retain(Samples.JOB, 1, false, false);
        assertThat(names(root.resolve(Samples.JOB))).containsExactly("v0000000041", "v0000000042");
      }
      bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
      Files.write(file, bytes);
    }
    verifyAll();
  }

  @Test
  void filesOfTwoVersionsAreNotMixed() throws IOException {
    Samples.commit(REAL, root, 41);
    Samples.commit(REAL, root, 42);
    Path of42 = root.resolve("job-a/v0000000042/n0001-e4.fmi");
    Files.delete(of42);
    Files.copy(root.resolve("job-a/v0000000041/n0001-e4.fmi"), of42);
    assertThat(versions()).containsExactly(41L);
    assertThat(Catalog.of(root).unusable())
        .containsExactly(of42 + ": not the file that the manifest beside it names");
  }

  @Test
  void aVersionThatWasMovedDoesNotCount() throws IOException {
    Samples.commit(REAL, root, 42);
    Files.move(root.resolve("job-a"), root.resolve("job-b"));
    assertThat(Catalog.of(root).generations()).isEmpty();
    assertThat(Catalog.of(root).unusable().getFirst())
        .contains("belongs to job-a/v42: it was moved");
  }

  @Test
  void nothingIsPublishedWhoseFilesAreNotSeen() throws IOException {
    List<FileFacts> files =
        List.of(
            new NodeFileWriter(REAL)
                .write(
                    root, new NodeFileHead(Samples.JOB, 3, 0, 4, 42), Samples.images(42, 0, 1, 2)));
    Files.delete(root.resolve("job-a/v0000000042/n0000-e4.fmi"));
    assertThatThrownBy(() -> new Publication(REAL, root).publish(Samples.manifest(42, files)))
        .hasMessageEndingWith("n0000-e4.fmi: not there");
    assertThat(Catalog.of(root).generations()).isEmpty();
    assertThat(Catalog.of(root).unfinished()).hasSize(1);
  }

  @Test
  void nothingForeignIsDeleted() throws IOException {
    for (long version = 40; version < 44; version++) {
      Samples.commit(REAL, root, version);
    }
    Files.writeString(root.resolve("job-a/v0000000040/notes.txt"), "mine");
    Files.createDirectory(root.resolve("job-a/results"));
    Files.createDirectory(root.resolve("other"));
    Files.createSymbolicLink(root.resolve("job-a/v0000000007"), root.resolve("other"));
    Path manifest = root.resolve("job-a/v0000000041/manifest.json");
    Files.writeString(manifest, "of a newer format");

    new Publication(REAL, root).retain(Samples.JOB, 1, false, false);

    assertThat(names(root.resolve("job-a")))
        .containsExactly("results", "v0000000007", "v0000000040", "v0000000041", "v0000000043");
    assertThat(names(root.resolve("job-a/v0000000040"))).containsExactly("notes.txt");
    assertThat(names(root.resolve("job-a/v0000000041"))).hasSize(3);
  }

  @Test
  void keepsNewerUnfinishedVersionsUnlessToldToDelete() throws IOException {
    Samples.commit(REAL, root, 41);
    CutShort target = new CutShort(8, 1);
    assertThatThrownBy(() -> Samples.commit(target, root, 42)).isInstanceOf(CutShort.Dead.class);
    assertThat(Catalog.of(root).unfinished()).hasSize(1);
    new Publication(REAL, root).retain(Samples.JOB, 1, false, false);
    assertThat(names(root.resolve("job-a"))).containsExactly("v0000000041", "v0000000042");
    new Publication(REAL, root).retain(Samples.JOB, 1, true, false);
    assertThat(names(root.resolve("job-a"))).containsExactly("v0000000041");
    verifyAll();
  }

  @Test
  void aFileThatDoesNotReachTheMediumIsWrittenAnew() throws IOException {
    Faulty target = new Faulty();
    target.unforced = 2;
    Samples.commit(target, root, 42);
    assertThat(versions()).containsExactly(42L);
    verifyAll();
    // Three by the first node, one by the second, and the manifest; none was forced twice.
    assertThat(target.created).hasSize(5).doesNotHaveDuplicates();
    assertThat(target.forced).isEqualTo(target.created);
    assertThat(names(root.resolve("job-a/v0000000042"))).hasSize(3);
  }

  @Test
  void aMediumThatTakesNothingIsGivenUp() throws IOException {
    Faulty target = new Faulty();
    target.unforced = 100;
    assertThatThrownBy(() -> Samples.commit(target, root, 42))
        .isInstanceOf(NotStoredException.class)
        .hasMessageMatching(
            ".*/v0000000042/n0000-e4.fmi.tmp-[0-9a-f]{8}: Input/output error while forcing it"
                + " to storage");
    assertThat(target.created).hasSize(3).doesNotHaveDuplicates();
    assertThat(target.forced).isEqualTo(target.created);
    assertThat(names(root.resolve("job-a/v0000000042"))).isEmpty();
  }

  @Test
  void lackOfRoomLeavesNoFiles() throws IOException {
    Faulty target = new Faulty();
    target.room = 100_000;
    assertThatThrownBy(() -> Samples.commit(target, root, 42)).isInstanceOf(FullException.class);
    assertThat(target.created).hasSize(1);
    assertThat(names(root.resolve("job-a/v0000000042"))).isEmpty();
  }

  @Test
  void roomIsMadeByWhatIsOldButNeverByTheNewest() throws IOException {
    Publication publication = new Publication(REAL, root);
    for (long version = 40; version < 43; version++) {
      Samples.commit(REAL, root, version);
    }
    assertThat(publication.makeRoom(Samples.JOB, 50, -1)).isFalse();
    assertThat(publication.makeRoom(Samples.JOB, 50, 39)).isFalse();
    assertThat(publication.makeRoom(Samples.JOB, 50, 42)).isFalse();
    assertThat(publication.makeRoom(Samples.JOB, 50, 40)).isTrue();
    assertThat(versions()).containsExactly(41L, 42L);
    for (long unfinished : new long[] {43, 50, 51}) {
      Path directory = root.resolve("job-a/v00000000" + unfinished);
      Files.createDirectory(directory);
      Files.writeString(directory.resolve("n0000-e4.fmi"), "left behind");
    }
    // Neither the version being written nor one that may be in use.
    assertThat(publication.makeRoom(Samples.JOB, 50, -1)).isTrue();
    assertThat(names(root.resolve("job-a")))
        .containsExactly("v0000000041", "v0000000042", "v0000000050", "v0000000051");
  }

  @Test
  void aDryRunDeletesNothing() throws IOException {
    Samples.commit(REAL, root, 41);
    Samples.commit(REAL, root, 42);
    assertThat(new Publication(REAL, root).retain(Samples.JOB, 1, false, true))
        .containsExactly(root.resolve("job-a/v0000000041"));
    assertThat(versions()).containsExactly(41L, 42L);
  }

  private List<Long> versions() throws IOException {
    return Catalog.of(root).generations().stream().map(each -> each.manifest().version()).toList();
  }

  private void verifyAll() throws IOException {
    for (Generation each : Catalog.of(root).generations()) {
      each.verify();
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  private static List<String> names(Path directory) throws IOException {
    return files(directory).stream().map(path -> path.getFileName().toString()).toList();
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(
              path -> {
                try {
                  Files.delete(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
