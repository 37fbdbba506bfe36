package org.fmi.run;

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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds the arrows between modules and packages: who may use whom. */
final class ArchitectureTest {
  private static final String API = "org.fmi";
  private static final String RUN = "org.fmi.run..";
  private static final String VERBS = "org.fmi.verbs..";
  private static final String VERBS_DISNI = "org.fmi.verbs.disni..";
  private static final String DISNI = "com.ibm.disni..";

  /** Modules that a rank finds through ServiceLoader. */
  private static final String[] SERVICES = {
    "org.fmi.transport..", "org.fmi.logring..", "org.fmi.ckpt.."
  };

  private static JavaClasses project;

  @BeforeAll
  static void load() {
    project =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.fmi");
  }

  @Test
  void theApiRestsOnTheJdkAndOnBuffersThatProgramsWriteThemselvesInto() {
    classes()
        .that()
        .resideInAPackage(API)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(API, "java..", "org.jspecify..", "net.openhft.chronicle.bytes..")
        .check(project);
  }

  @Test
  void theCoreKnowsNoModuleButTheApi() {
    classes()
        .that()
        .resideInAPackage("org.fmi.core..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            API, "org.fmi.core..", "java..", "org.jspecify..", "net.openhft.chronicle.bytes..")
        .check(project);
  }

  @Test
  void theCoreIsBuiltInLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("org.fmi.core..")
        .layer("recovery")
        .definedBy("org.fmi.core.recovery")
        .layer("comm")
        .definedBy("org.fmi.core.comm")
        .layer("coll")
        .definedBy("org.fmi.core.coll")
        .layer("p2p")
        .definedBy("org.fmi.core.p2p")
        .layer("progress")
        .definedBy("org.fmi.core.progress")
        .layer("spi")
        .definedBy("org.fmi.spi")
        .layer("wire")
        .definedBy("org.fmi.wire")
        .whereLayer("recovery")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("comm")
        .mayOnlyBeAccessedByLayers("recovery")
        .whereLayer("coll")
        .mayOnlyBeAccessedByLayers("comm")
        .whereLayer("p2p")
        .mayOnlyBeAccessedByLayers("coll", "comm", "recovery")
        .whereLayer("progress")
        .mayOnlyBeAccessedByLayers("p2p", "recovery")
        .whereLayer("spi")
        .mayOnlyBeAccessedByLayers("progress", "p2p", "coll", "recovery")
        .check(project);
  }

  @Test
  void transportsStoresAndDetectorsSeeOnlyTheSpi() {
    noClasses()
        .that()
        .resideInAnyPackage(SERVICES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.fmi.core.recovery..",
            "org.fmi.core.comm..",
            "org.fmi.core.coll..",
            "org.fmi.core.p2p..",
            "org.fmi.control..",
            RUN)
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
            "org.fmi.run.rank..", "org.fmi.transport..", "org.fmi.logring..", "org.fmi.ckpt..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(SERVICES)
        .check(project);
  }

  @Test
  void theDecisionsHaveNoClockThreadSocketOrFile() {
    noClasses()
        .that()
        .resideInAnyPackage("org.fmi.job", "org.fmi.job.daemon")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.net..",
            "java.nio..",
            "java.io..",
            "java.util.concurrent..",
            "io.netty..",
            "org.fmi.net..")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(project);
  }

  @Test
  void noPackagesDependOnEachOtherInCircles() {
    slices().matching("org.fmi.(**)").should().beFreeOfCycles().check(project);
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
