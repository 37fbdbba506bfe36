package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FileVersion;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.OtherImages;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions 5 and 9 of a job of three ranks, written in epoch 4 by two nodes. */
final class FileSourceTest {
  private static final long EPOCH = 4;

  @TempDir private Path root;

  @BeforeEach
  void write() throws IOException {
    Samples.commit(new PosixTarget(), root, 5);
    Samples.commit(new PosixTarget(), root, 9);
  }

  private static CheckpointSource source(String job, int rank, int size, Level2Plan plan) {
    return FileSource.of(
        RankConfigs.rank(rank, size).jobId(job).level2(plan).build(), Diagnostics.NONE);
  }

  private Level2Plan own() {
    return new Level2Plan(10, root.resolve(Samples.JOB).toString(), List.of(), List.of());
  }

  private CheckpointSource own(int rank) {
    return source(Samples.JOB, rank, Samples.SIZE, own());
  }

  private static FileVersion version(long number) {
    return new FileVersion(EPOCH, List.of(Samples.ended(), Samples.line(number)));
  }

  private Path file(long version, int node) {
    return root.resolve(Samples.JOB)
        .resolve(Names.version(version))
        .resolve(Names.nodeFile(node, (int) EPOCH));
  }

  private void damage(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void offersTheJobsVersionsNewestFirst() throws IOException {
    for (int rank = 0; rank < Samples.SIZE; rank++) {
      CheckpointSource source = own(rank);
      assertThat(source.offers(false)).containsExactly(version(9), version(5));
      assertThat(source.name(version(5))).isEqualTo(Samples.JOB + "/v5");
      for (CheckpointId id : version(9).needed()) {
        byte[] expected = Samples.image(rank, id);
        assertThat(source.bytes(version(9), id)).isEqualTo(expected.length);
        assertThat(Samples.read(source, version(9), id)).isEqualTo(expected);
      }
    }
  }

  /** All ranks see the version: it was committed. */
  @Test
  void aVersionNeedsNoManifest() throws IOException {
    Files.delete(file(9, 0).resolveSibling(Names.MANIFEST));
    assertThat(own(1).offers(false)).containsExactly(version(9), version(5));
  }

  /** A manifest says which file has a rank's part, so that no rank opens the files of all nodes. */
  @Test
  void opensOnlyTheFileThatTheManifestNames() throws IOException {
    Files.write(file(9, 1), new byte[1000]);
    List<String> reports = new ArrayList<>();
    CheckpointSource first =
        FileSource.of(
            RankConfigs.rank(0, Samples.SIZE).jobId(Samples.JOB).level2(own()).build(),
            reports::add);
    assertThat(first.offers(false)).containsExactly(version(9), version(5));
    assertThat(reports).as("of a file that it need not open").isEmpty();
    Files.delete(file(9, 0).resolveSibling(Names.MANIFEST));
    assertThat(first.offers(false)).containsExactly(version(9), version(5));
    assertThat(reports).singleElement().asString().contains(file(9, 1).toString());
  }

  @Test
  void aDamagedManifestIsAsNone() throws IOException {
    damage(file(9, 0).resolveSibling(Names.MANIFEST));
    for (int rank = 0; rank < Samples.SIZE; rank++) {
      assertThat(own(rank).offers(false)).containsExactly(version(9), version(5));
    }
  }

  @Test
  void atItsBeginningAJobHasWrittenNothing() {
    assertThat(own(0).offers(true)).isEmpty();
  }

  @Test
  void ignoresVersionsOfOtherJobs() {
    assertThat(source("another", 0, Samples.SIZE, own()).offers(false)).isEmpty();
    assertThat(source(Samples.JOB, 0, Samples.SIZE + 1, own()).offers(false)).isEmpty();
  }

  /** Each rank sees only its own file. */
  @Test
  void aFileThatIsCutShortIsNoSource() throws IOException {
    Files.write(file(9, 1), new byte[1000]);
    assertThat(own(1).offers(false)).containsExactly(version(5));
    assertThat(own(0).offers(false)).containsExactly(version(9), version(5));
    Files.delete(file(5, 1));
    assertThat(own(1).offers(false)).isEmpty();
  }

  @Test
  void damageInAnImageIsSeenWhenItIsRead() throws IOException {
    damage(file(9, 1));
    CheckpointSource source = own(1);
    assertThat(source.offers(false)).contains(version(9));
    assertThatThrownBy(
            () -> {
              for (CheckpointId id : version(9).needed()) {
                Samples.read(source, version(9), id);
              }
            })
        .isInstanceOf(UnusableException.class)
        .hasMessageContaining(file(9, 1) + ": damaged: block ");
  }

  @Test
  void imagesAreComparedByTheirChecksums() throws IOException {
    CheckpointSource source = own(2);
    source.offers(false);
    for (CheckpointId id : version(5).needed()) {
      byte[] image = Samples.image(2, id);
      assertThat(source.holds(version(5), id, MemorySegment.ofArray(image))).isTrue();
      image[image.length - 1] ^= 1;
      assertThat(source.holds(version(5), id, MemorySegment.ofArray(image))).isFalse();
      MemorySegment shorter = MemorySegment.ofArray(image).asSlice(0, image.length - 1);
      assertThat(source.holds(version(5), id, shorter)).isFalse();
    }
  }

  @Test
  void offersTheVersionsThatTheJobStartsFrom() throws IOException {
    int digest;
    try (NodeFile file = NodeFile.open(file(9, 1))) {
      digest = file.facts().digest();
    }
    Level2Plan plan =
        new Level2Plan(
            0,
            root.resolve("new").toString(),
            List.of(
                new Level2Plan.Origin(
                    Samples.JOB + "/v9", file(9, 1).toString(), digest, version(9).needed()),
                new Level2Plan.Origin(
                    Samples.JOB + "/v5", file(5, 1).toString(), digest, version(5).needed())),
            List.of());
    CheckpointSource source = source("new", 1, Samples.SIZE, plan);
    List<FileVersion> offers = source.offers(true);
    assertThat(offers)
        .extracting(FileVersion::recoveryLine)
        .containsExactly(Samples.line(9), Samples.line(5));
    assertThat(offers.getFirst().token()).isNotEqualTo(offers.getLast().token());
    assertThat(Samples.read(source, offers.getFirst(), Samples.line(9)))
        .isEqualTo(Samples.image(1, Samples.line(9)));
    // The other version is not in the named file.
    assertThatThrownBy(() -> source.bytes(offers.getLast(), Samples.line(5)))
        .hasMessageContaining("another file than before");
  }

  /** A directory may be named with a trailing slash, as shells complete it. */
  @Test
  void aGenerationIsFoundByTheNameOfItsDirectoryToo() throws IOException {
    Catalog catalog = Catalog.of(root);
    Generation listed = Objects.requireNonNull(catalog.find(Samples.JOB + "/v9"));
    for (String name : List.of("/v0000000009", "/v0000000009/", "/v09")) {
      assertThat(catalog.find(Samples.JOB + name)).as(name).isEqualTo(listed);
    }
    for (String name :
        List.of("/v8888", "/9", "/v", "/vx", "", "/v9/x", "/v99999999999999999999")) {
      assertThat(catalog.find(Samples.JOB + name)).as(name).isNull();
      assertThat(catalog.unusable(Samples.JOB + name)).as(name).isEmpty();
    }
  }

  @Test
  void partsOfImagesOfAnyRankAreReadForAnotherNumberOfRanks() throws IOException {
    Catalog catalog = Catalog.of(root);
    Generation generation = Objects.requireNonNull(catalog.find(Samples.JOB + "/v9"));
    List<Level2Plan.OfRanks> files =
        generation.manifest().files().stream()
            .map(
                each ->
                    new Level2Plan.OfRanks(
                        generation.directory().resolve(each.name()).toString(),
                        each.digest(),
                        each.ranks().stream().mapToInt(Integer::intValue).toArray()))
            .toList();
    Level2Plan plan =
        new Level2Plan(
            0,
            "",
            List.of(),
            List.of(
                new Level2Plan.Others(
                    Samples.JOB + "/v9", Samples.SIZE, version(9).needed(), files)));
    try (OtherImages others = source("new", 1, 2, plan).others().getFirst()) {
      assertThat(others.size()).isEqualTo(Samples.SIZE);
      for (int rank = 0; rank < Samples.SIZE; rank++) {
        byte[] image = Samples.image(rank, Samples.line(9));
        others.verify(rank, Samples.line(9));
        int[][] parts = {
          {0, image.length}, {0, 8}, {image.length - 1, 1}, {100, 0}, {1, image.length / 2}
        };
        for (int[] part : parts) {
          byte[] read = new byte[part[1]];
          others.read(rank, Samples.line(9), part[0], MemorySegment.ofArray(read));
          assertThat(MemorySegment.ofArray(read))
              .matches(
                  it -> it.mismatch(MemorySegment.ofArray(image).asSlice(part[0], part[1])) < 0);
        }
        int size = image.length;
        int of = rank;
        assertThatThrownBy(
                () ->
                    others.read(of, Samples.line(9), size - 1, MemorySegment.ofArray(new byte[2])))
            .isInstanceOf(UnusableException.class);
      }
    }
  }
}
