package org.fmi.testkit.turns;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A parameterized test of which each build runs the first variant; {@code dev/mvn -Pwide verify}
 * runs the others.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag(Variants.TAG)
@ExtendWith(Turn.class)
public @interface Variants {
  /** The tag that a wide build selects beside the wide tests. */
  String TAG = "variants";
}
