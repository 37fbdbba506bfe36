package org.fmi.jobsim;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.fmi.control.Pinned;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.FileVersion;
import org.fmi.spi.ImageContent;
import org.fmi.spi.PinnedImage;
import org.fmi.testkit.SimNodeMemory;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.Simulation;
import org.fmi.testkit.support.ArrayContent;

/**
 * The files of a simulated job: each version that all ranks keep is there after a while, whole or
 * with a damaged image, of which its writer knows nothing.
 */
final class SimFiles {
  private final int size;
  private final Shape.Files shape;
  private final Simulation simulation;

  /** Apart from the simulation's own: what is written is no part of what happens to it. */
  private final SplittableRandom random;

  /** In the order in which they were begun. */
  private final List<Version> versions = new ArrayList<>();

  private static final class Version {
    final int epoch;
    final List<CheckpointId> needed;

    /** By rank. */
    final Map<Integer, Map<CheckpointId, byte[]>> images = new TreeMap<>();

    boolean written;

    /** The rank whose last image is damaged; -1 for none. */
    int damaged = -1;

    Version(int epoch, List<CheckpointId> needed) {
      this.epoch = epoch;
      this.needed = needed;
    }

    FileVersion version() {
      return new FileVersion(epoch, needed);
    }
  }

  /** Of a job that has written none yet. */
  SimFiles(Simulation simulation, Shape shape) {
    this.simulation = simulation;
    this.size = shape.size();
    this.shape = shape.files();
    this.random = new SplittableRandom(simulation.seed());
  }

  /** A rank keeps the images of a version: they are copied at once, and let go. */
  void onOffered(SimProcess process, SimNodeMemory memory, Pinned pinned) {
    List<CheckpointId> needed = pinned.images().stream().map(PinnedImage::id).toList();
    Map<CheckpointId, byte[]> images = new HashMap<>();
    for (int i = 0; i < needed.size(); i++) {
      byte[] image = copy(memory, pinned.images().get(i));
      if (image.length > 0) {
        images.put(needed.get(i), image);
      }
    }
    if (images.size() < needed.size()) {
      return; // damaged meanwhile: it is not written
    }
    Version version = find(pinned.epoch(), needed);
    version.images.put(process.rank(), images);
    if (version.images.size() == size) {
      version.damaged = random.nextInt(100) < shape.damagedPercent() ? random.nextInt(size) : -1;
      simulation.after(
          random.nextLong(shape.longestNanos()),
          "written",
          process.rank(),
          () -> version.written = true);
    }
  }

  private Version find(int epoch, List<CheckpointId> needed) {
    for (Version each : versions) {
      if (each.epoch == epoch && each.needed.equals(needed)) {
        return each;
      }
    }
    Version version = new Version(epoch, needed);
    versions.add(version);
    return version;
  }

  /** Copies an image as the helper does; returns nothing if it has changed meanwhile. */
  private static byte[] copy(SimNodeMemory memory, PinnedImage image) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment piece = memory.open(image.piece(), arena);
      memory.delete(image.piece());
      CRC32C crc = new CRC32C();
      long at = image.at();
      for (int block = 0; block < image.lengths().length; block++) {
        crc.reset();
        crc.update(piece.asSlice(at, image.lengths()[block]).asByteBuffer());
        if ((int) crc.getValue() != image.sums()[block]) {
          return new byte[0];
        }
        at += image.lengths()[block];
      }
      return piece.asSlice(image.at(), image.bytes()).toArray(ValueLayout.JAVA_BYTE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether there is a version that all ranks can read. */
  boolean holdAny() {
    return versions.stream().anyMatch(each -> each.written && each.damaged < 0);
  }

  /** The files as a rank sees them. */
  CheckpointSource source(SimProcess process) {
    return new CheckpointSource() {
      @Override
      public List<FileVersion> offers(boolean beginning) {
        process.compute(1);
        return versions.stream()
            .filter(each -> each.written)
            .map(Version::version)
            .toList()
            .reversed();
      }

      @Override
      public String name(FileVersion version) {
        return "sim/v" + version.recoveryLine().version();
      }

      @Override
      public long bytes(FileVersion version, CheckpointId id) {
        return image(version, id).length;
      }

      @Override
      public ImageContent open(FileVersion version, CheckpointId id) {
        process.compute(1_000);
        Version from = find((int) version.token(), version.needed());
        boolean damaged = from.damaged == process.rank() && id.equals(version.recoveryLine());
        String damage = damaged ? name(version) + ": damaged" : "";
        return new ArrayContent(image(version, id), Integer.MAX_VALUE, damage);
      }

      @Override
      public boolean holds(FileVersion version, CheckpointId id, MemorySegment image) {
        return image.mismatch(MemorySegment.ofArray(image(version, id))) < 0;
      }

      private byte[] image(FileVersion version, CheckpointId id) {
        Map<CheckpointId, byte[]> images =
            find((int) version.token(), version.needed()).images.get(process.rank());
        byte[] image = images == null ? null : images.get(id);
        if (image == null) {
          throw new AssertionError(version + " has no " + id + " of rank " + process.rank());
        }
        return image;
      }
    };
  }
}
