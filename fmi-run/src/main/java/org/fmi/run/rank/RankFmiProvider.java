package org.fmi.run.rank;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.fmi.Fmi;
import org.fmi.FmiProvider;
import org.fmi.node.SharedMemory;

/** Joins a program to the job that this process was started for. */
public final class RankFmiProvider implements FmiProvider {
  @Override
  public Fmi init(String... args) {
    RankSeat seat = RankSeat.take();
    try {
      return Modules.find()
          .join(
              seat.config(),
              seat.link(),
              new SharedMemory(Path.of(seat.config().nodeDirectory())),
              BoundThread.of(seat.ownCore()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
