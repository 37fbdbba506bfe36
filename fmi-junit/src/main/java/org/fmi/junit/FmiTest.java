package org.fmi.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that all ranks of a job run, each on a separate thread of this JVM.
 *
 * <pre>{@code
 * @FmiTest(ranks = 4)
 * @KillRank(rank = 2, iteration = 55)
 * void sameAnswer(Fmi fmi) {
 *   assertEquals(EXPECTED, Heat.run(fmi, "--iterations", "100"));
 * }
 * }</pre>
 *
 * <p>The method has a parameter of type {@link org.fmi.Fmi}, which belongs to its rank and is
 * closed when the method returns. Other parameters are resolved as in any test, once for all ranks.
 * The test passes if the method returns on all ranks, and fails as soon as it throws on one of
 * them.
 *
 * <p>The ranks run one at a time, in an order and with delays drawn from a seed. The message of a
 * failure names the seed, and {@link Seed} repeats it. The ranks share the test instance and all
 * statics. Methods annotated with {@code @BeforeEach} and {@code @AfterEach} run once per job, on
 * JUnit's thread.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(FmiExtension.class)
public @interface FmiTest {
  /**
   * The number of ranks. Each of several numbers is a separate test.
   *
   * @return numbers of 1 or more
   */
  int[] ranks();

  /**
   * The status with which the program must call {@link org.fmi.Comm#abort}; the test fails if it
   * ends otherwise.
   *
   * @return 0 if the program must not call it
   */
  int abortsWith() default 0;
}
