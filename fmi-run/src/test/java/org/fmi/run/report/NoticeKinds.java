package org.fmi.run.report;

import java.util.List;
import java.util.stream.Stream;
import org.fmi.control.Notice;

/** The records that the event file consists of. */
public final class NoticeKinds {
  private NoticeKinds() {}

  public static List<Class<?>> all() {
    return of(Notice.class).toList();
  }

  private static Stream<Class<?>> of(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(NoticeKinds::of)
        : Stream.of(type);
  }
}
