package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.file.Path;
import org.fmi.spi.CheckpointId;

/**
 * A committed version.
 *
 * @param directory the version's directory
 */
public record Generation(Path directory, Manifest manifest) {

  /**
   * Opens one of its files, whose trailer must match the manifest.
   *
   * @throws UnusableException if it does not match
   */
  public NodeFile open(FileFacts facts) throws IOException {
    Path path = directory.resolve(facts.name());
    NodeFile file = NodeFile.open(path);
    try {
      NodeFileHead head = file.head();
      if (!file.facts().equals(facts)
          || !head.job().equals(manifest.job())
          || head.version() != manifest.version()
          || head.size() != manifest.size()) {
        throw new UnusableException(path, "not the file that the manifest beside it names");
      }
      for (int rank : facts.ranks()) {
        for (CheckpointId id : manifest.needed()) {
          NodeFileEntry _ = file.find(rank, id);
        }
      }
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Compares its files with the manifest, without reading their images.
   *
   * @throws UnusableException if a file is missing or a different one
   */
  public void check() throws IOException {
    for (FileFacts facts : manifest.files()) {
      open(facts).close();
    }
  }

  /**
   * Reads everything, and compares it with its checksums.
   *
   * @throws UnusableException if anything is damaged
   */
  public void verify() throws IOException {
    for (FileFacts facts : manifest.files()) {
      try (NodeFile file = open(facts)) {
        file.verify();
      }
    }
  }
}
