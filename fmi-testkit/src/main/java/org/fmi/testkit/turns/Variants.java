package org.fmi.testkit.turns;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A parameterized test of which each build makes the first variant; the others are left to {@code
 * dev/mvn -Pwide verify}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag(Variants.TAG)
@ExtendWith(Turn.class)
public @interface Variants {
  /** What a wide build chooses beside the wide tests. */
  String TAG = "variants";
}
