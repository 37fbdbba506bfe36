package org.fmi.run;

import static com.tngtech.archunit.base.DescribedPredicate.doNot;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.time.Clock;
import java.time.Instant;
import org.fmi.Fmi;
import org.fmi.ckpt.files.FileSource;
import org.fmi.provider.FmiProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Holds what Maven cannot: the arrows between packages of one module, and what a module must not
 * take from those it depends on. The arrows between modules are in their {@code pom.xml}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ArchitectureTest {
  private static final String API = "org.fmi";
  private static final String PROVIDER = "org.fmi.provider";
  private static final String SPI = "org.fmi.spi";
  private static final String WIRE = "org.fmi.wire";
  private static final String NODE = "org.fmi.node";
  private static final String CONTROL = "org.fmi.control";
  private static final String RULES = "org.fmi.rules";
  private static final String MESSAGES = "org.fmi.job.control";
  private static final String VERBS = "org.fmi.verbs..";
  private static final String VERBS_DISNI = "org.fmi.verbs.disni..";
  private static final String DISNI = "com.ibm.disni..";

  /** Modules that a rank finds through ServiceLoader. */
  private static final String[] SERVICES = {
    "org.fmi.transport..", "org.fmi.logring..", "org.fmi.ckpt.xor.."
  };

  /** Checkpoints on files: no service, and with the same rights. */
  private static final String FILES = "org.fmi.ckpt.files";

  /** A hundred megabytes, which later tests need not keep. */
  private final JavaClasses project =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.fmi");

  @Test
  void theApiRestsOnTheJdkAndOnBuffersThatProgramsWriteThemselvesInto() {
    classes()
        .that()
        .resideInAPackage(API)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            API, PROVIDER, "java..", "org.jspecify..", "net.openhft.chronicle.bytes..")
        .check(project);
  }

  /** Maven knows them as one module. */
  @Test
  void theSpiIsBuiltInLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage(SPI, WIRE, NODE, CONTROL, RULES)
        .layer("node")
        .definedBy(NODE)
        .layer("control")
        .definedBy(CONTROL)
        .layer("rules")
        .definedBy(RULES)
        .layer("spi")
        .definedBy(SPI)
        .layer("wire")
        .definedBy(WIRE)
        .whereLayer("node")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("control")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("rules")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("spi")
        .mayOnlyBeAccessedByLayers("node", "control", "rules")
        .whereLayer("wire")
        .mayOnlyBeAccessedByLayers("spi")
        .check(project);
  }

  @Test
  void theCoreIsBuiltInLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("org.fmi.core..", SPI, WIRE, NODE, CONTROL, RULES)
        .layer("rank")
        .definedBy("org.fmi.core.rank")
        .layer("rollback")
        .definedBy("org.fmi.core.rollback")
        .layer("checkpoint")
        .definedBy("org.fmi.core.checkpoint")
        .layer("loop")
        .definedBy("org.fmi.core.loop")
        .layer("epoch")
        .definedBy("org.fmi.core.epoch")
        .layer("state")
        .definedBy("org.fmi.core.state")
        .layer("comm")
        .definedBy("org.fmi.core.comm")
        .layer("coll")
        .definedBy("org.fmi.core.coll")
        .layer("captured")
        .definedBy("org.fmi.core.captured")
        .layer("object")
        .definedBy("org.fmi.core.object")
        .layer("log")
        .definedBy("org.fmi.core.log")
        .layer("p2p")
        .definedBy("org.fmi.core.p2p")
        .layer("meters")
        .definedBy("org.fmi.core.meters")
        .layer("progress")
        .definedBy("org.fmi.core.progress")
        .layer("node")
        .definedBy(NODE)
        .layer("control")
        .definedBy(CONTROL)
        .layer("rules")
        .definedBy(RULES)
        .layer("spi")
        .definedBy(SPI)
        .layer("wire")
        .definedBy(WIRE)
        .whereLayer("rank")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("rollback")
        .mayOnlyBeAccessedByLayers("rank")
        .whereLayer("checkpoint")
        .mayOnlyBeAccessedByLayers("rank", "rollback")
        .whereLayer("loop")
        .mayOnlyBeAccessedByLayers("rank", "rollback", "checkpoint")
        .whereLayer("epoch")
        .mayOnlyBeAccessedByLayers("rank", "rollback", "checkpoint", "loop")
        .whereLayer("state")
        .mayOnlyBeAccessedByLayers("log", "rank", "rollback", "checkpoint", "loop")
        .whereLayer("comm")
        .mayOnlyBeAccessedByLayers("rank", "rollback", "checkpoint", "loop")
        .whereLayer("coll")
        .mayOnlyBeAccessedByLayers("comm")
        .whereLayer("captured")
        .mayOnlyBeAccessedByLayers("rank")
        .whereLayer("object")
        .mayOnlyBeAccessedByLayers("comm", "state", "rollback", "checkpoint")
        .whereLayer("log")
        .mayOnlyBeAccessedByLayers("comm", "rank", "rollback", "checkpoint", "loop")
        .whereLayer("p2p")
        .mayOnlyBeAccessedByLayers(
            "log", "coll", "comm", "epoch", "rank", "rollback", "checkpoint", "loop")
        .whereLayer("progress")
        .mayOnlyBeAccessedByLayers("p2p", "rank")
        .whereLayer("node")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("meters")
        .mayOnlyBeAccessedByLayers("rank")
        .whereLayer("control")
        .mayOnlyBeAccessedByLayers(
            "log", "p2p", "meters", "epoch", "rank", "rollback", "checkpoint", "loop")
        .whereLayer("rules")
        .mayOnlyBeAccessedByLayers("rank", "rollback", "checkpoint", "loop")
        .whereLayer("spi")
        .mayOnlyBeAccessedByLayers(
            "node",
            "control",
            "rules",
            "progress",
            "p2p",
            "log",
            "state",
            "coll",
            "epoch",
            "rank",
            "rollback",
            "checkpoint",
            "loop")
        .check(project);
  }

  /** What recovery needs of messages goes through one interface, {@code Ledger}. */
  @Test
  void theDataPathKnowsNothingOfRecovery() {
    noClasses()
        .that()
        .resideInAPackage("org.fmi.core.p2p")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.fmi.core.log",
            "org.fmi.core.state",
            "org.fmi.core.loop",
            "org.fmi.core.checkpoint",
            "org.fmi.core.rollback",
            "org.fmi.core.epoch",
            "org.fmi.core.rank")
        .check(project);
  }

  /** They could see more: what their module depends on depends on more itself. */
  @Test
  void transportsStoresAndDetectorsSeeOnlyTheSpi() {
    noClasses()
        .that()
        .resideInAnyPackage(SERVICES)
        .or()
        .resideInAPackage(FILES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.fmi.core..", CONTROL, "org.fmi.job..", "org.fmi.run..", "org.fmi.testkit..")
        .check(project);
  }

  @Test
  void verbsKnowNothingOfRanksAndMessages() {
    classes()
        .that()
        .resideInAPackage(VERBS)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(VERBS, DISNI, "java..", "javax.crypto..", "org.jspecify..")
        .check(project);
  }

  @Test
  void onlyItsOwnModuleKnowsDisni() {
    noClasses()
        .that()
        .resideOutsideOfPackage(VERBS_DISNI)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(VERBS_DISNI, DISNI)
        .check(project);
  }

  /** Its jars are in lib/meters and lib/metrics: a job that nobody measures must not load them. */
  @Test
  void onlyMetricsKnowMicrometer() {
    noClasses()
        .that()
        .resideOutsideOfPackages("org.fmi.run.metrics", "org.fmi.metrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "io.prometheus..")
        .check(project);
  }

  @Test
  void modulesThatAreFoundDoNotKnowEachOther() {
    slices()
        .matching("org.fmi.(transport.*|logring|ckpt.*)..")
        .should()
        .notDependOnEachOther()
        .check(project);
  }

  @Test
  void onlyTheProcessOfARankIsComposedOfModules() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.fmi.run.rank..", "org.fmi.transport..", "org.fmi.logring..", "org.fmi.ckpt.xor..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(SERVICES)
        .check(project);
  }

  /** Events and the time go in, commands come out: so a simulation runs the same code. */
  @Test
  void decisionsHaveNoClockThreadSocketOrFile() {
    noClasses()
        .that()
        .resideInAnyPackage("org.fmi.job..", RULES)
        .and()
        .resideOutsideOfPackage(MESSAGES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.net..",
            "java.nio..",
            "java.io..",
            "java.util.concurrent..",
            "io.netty..",
            "org.fmi.net..",
            NODE)
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(Thread.class, Process.class, Clock.class, Instant.class)
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(project);
  }

  /**
   * A seed and numbers go in, numbers come out; time is simulated. Its jar is in lib/run, where
   * ranks and daemons do not look.
   */
  @Test
  void simulationsOfLargeMachinesAreComputedFromDecisionsAlone() {
    classes()
        .that()
        .resideInAPackage("org.fmi.sim..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "org.fmi.sim..",
            "org.fmi.job..",
            RULES,
            CONTROL,
            SPI,
            "java.lang..",
            "java.util",
            "java.util.function",
            "java.util.regex",
            "java.util.stream",
            "org.jspecify..")
        .check(project);
    noClasses()
        .that()
        .resideOutsideOfPackages("org.fmi.sim..", "org.fmi.run.simulate", "org.fmi.bench..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.fmi.sim..")
        .check(project);
  }

  /** They know bytes and characters, but not where those come from. */
  @Test
  void messagesHaveNoSocketOrFile() {
    noClasses()
        .that()
        .resideInAPackage(MESSAGES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.net..",
            "java.nio.file..",
            "java.nio.channels..",
            "java.util.concurrent..",
            "io.netty..",
            "org.fmi.net..",
            NODE)
        .check(project);
  }

  @Test
  void fmirunIsBuiltInLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("org.fmi.run..")
        .layer("shell")
        .definedBy("org.fmi.run.shell")
        .layer("tool")
        .definedBy("org.fmi.run.tool")
        .layer("doctor")
        .definedBy("org.fmi.run.doctor")
        .layer("status")
        .definedBy("org.fmi.run.status")
        .layer("report")
        .definedBy("org.fmi.run.report")
        .layer("options")
        .definedBy("org.fmi.run.options")
        .whereLayer("shell")
        .mayNotBeAccessedByAnyLayer()
        .layer("timeline")
        .definedBy("org.fmi.run.timeline")
        .layer("simulate")
        .definedBy("org.fmi.run.simulate")
        .whereLayer("simulate")
        .mayOnlyBeAccessedByLayers("tool")
        .layer("metrics")
        .definedBy("org.fmi.run.metrics")
        .whereLayer("metrics")
        .mayOnlyBeAccessedByLayers("shell")
        .whereLayer("tool")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("doctor")
        .mayOnlyBeAccessedByLayers("tool")
        .whereLayer("timeline")
        .mayOnlyBeAccessedByLayers("tool")
        .whereLayer("status")
        .mayOnlyBeAccessedByLayers("shell", "tool")
        .whereLayer("report")
        .mayOnlyBeAccessedByLayers("shell")
        .whereLayer("options")
        .mayOnlyBeAccessedByLayers("shell", "report", "simulate", "timeline", "tool")
        .check(project);
  }

  /** A program's one runtime dependency: it must not bring what only jobs of several ranks need. */
  @Test
  void aJobOfOneNeedsTheCoreAlone() {
    classes()
        .that()
        .resideInAPackage("org.fmi.runtime")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "org.fmi.runtime",
            API,
            PROVIDER,
            SPI,
            CONTROL,
            "org.fmi.core..",
            "java..",
            "org.jspecify..")
        .check(project);
  }

  /** A manifest is JSON, for which ranks and daemons have no library: they read images alone. */
  @Test
  void ranksAndDaemonsReadNoManifest() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            FILES,
            "org.fmi.run.doctor",
            "org.fmi.run.flush",
            "org.fmi.run.shell",
            "org.fmi.run.tool")
        .should()
        .dependOnClassesThat(
            resideInAPackage(FILES).and(doNot(have(simpleName(FileSource.class.getSimpleName())))))
        .check(project);
  }

  /**
   * Their jars are in lib/run, where daemons and ranks do not look, and in lib/json, where ranks do
   * if their checkpoints are in files.
   */
  @Test
  void onlyTheCommandsParseFlagsAndWriteJson() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            FILES,
            "org.fmi.run.options",
            "org.fmi.run.report",
            "org.fmi.run.simulate",
            "org.fmi.run.status",
            "org.fmi.run.timeline",
            "org.fmi.run.tool")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("picocli..", "com.fasterxml.jackson..")
        .check(project);
  }

  /** Each package is a slice, with the API, whose package has no name below {@code org.fmi}. */
  @Test
  void noPackagesDependOnEachOtherInCircles() {
    slices()
        .matching("org.(**)")
        .should()
        .beFreeOfCycles()
        .ignoreDependency(FmiProvider.class, Fmi.class) // what ServiceLoader finds makes it
        .check(project);
  }

  /**
   * A library cannot know where a line is read: it gets {@code Diagnostics}, and fmi-net, which
   * knows no other module, a consumer. Netty asks for its logger by a static method.
   */
  @Test
  void librariesDoNotPrint() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.fmi.run..",
            "org.fmi.runtime",
            "org.fmi.testkit..",
            "org.fmi.jobsim..",
            "org.fmi.examples..",
            "org.fmi.bench..")
        .and()
        .doNotHaveFullyQualifiedName("org.fmi.net.NettyLog")
        .should()
        .accessField(System.class, "err")
        .orShould()
        .accessField(System.class, "out")
        .check(project);
  }

  @Test
  void nothingIsStaticAndMutable() {
    ArchRuleDefinition.fields()
        .that()
        .areStatic()
        .and(
            DescribedPredicate.describe(
                "are written by people", (JavaField f) -> !f.getName().contains("$")))
        .should()
        .beFinal()
        .check(project);
  }
}
