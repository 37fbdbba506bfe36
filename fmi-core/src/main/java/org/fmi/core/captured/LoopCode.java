package org.fmi.core.captured;

import java.lang.StackWalker.StackFrame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The code of one loop, which examines the data that it reaches. */
public final class LoopCode {
  private final @Nullable Object body;
  private final StackFrame caller;
  private final ProgramClasses classes;

  /**
   * The code of a loop.
   *
   * @param body null if the loop has none: the variables of its method then cannot be seen
   * @param caller the program's method that has begun the loop, with its class
   */
  public LoopCode(@Nullable Object body, StackFrame caller) {
    this.body = body;
    this.caller = caller;
    this.classes = new ProgramClasses(caller.getDeclaringClass());
  }

  /**
   * Observes the data that the code reaches now.
   *
   * @param isState objects that are not examined
   */
  public Reached look(Predicate<Object> isState) {
    return look(isState, true);
  }

  private Reached look(Predicate<Object> isState, boolean asks) {
    Reached reached = new Reached(classes, isState);
    reached.lookAt(body, asks);
    return reached;
  }

  /** Describes the changes since another observation; empty if there are none. */
  public String changesSince(Reached first, Predicate<Object> isState) {
    // A class initialized since then was not part of the first observation.
    Reached again = look(isState, false);
    Map<String, String> names = new HashMap<>();
    return Changes.between(
        first.things(),
        again.things(),
        root -> {
          if (names.isEmpty()) {
            names.putAll(capturedNames());
          }
          return names.getOrDefault(root, root);
        });
  }

  /** The names in the source, by the names in {@link Reached}. */
  private Map<String, String> capturedNames() {
    Map<String, String> names = new HashMap<>();
    if (body != null) {
      Class<?> type = body.getClass();
      List<String> fields = CapturedNames.of(type, classes.fields(type), caller);
      for (int i = 0; i < fields.size(); i++) {
        names.put(Reached.variable(i), fields.get(i));
      }
    }
    return names;
  }
}
