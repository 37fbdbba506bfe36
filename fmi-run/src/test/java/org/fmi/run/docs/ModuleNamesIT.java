package org.fmi.run.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The published jars have names as modules of Java, and go together as such. */
class ModuleNamesIT {
  private static final String NAME = "Automatic-Module-Name";

  private static List<Path> jars() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("target/fmi/lib/maven"))) {
      return files.filter(file -> file.toString().endsWith(".jar")).toList();
    }
  }

  @Test
  void eachJarNamesItsModule() throws IOException {
    Map<String, String> names = new HashMap<>();
    for (Path jar : jars()) {
      try (JarFile file = new JarFile(jar.toFile())) {
        String name = file.getManifest().getMainAttributes().getValue(NAME);
        assertThat(name).as(jar.toString()).startsWith("org.fmi.");
        assertThat(names.put(name, jar.toString())).as(name).isNull();
      }
    }
    assertThat(names).containsKeys("org.fmi.api", "org.fmi.runtime", "org.fmi.metrics");
  }

  @Test
  void noPackageIsInTwoOfThem() throws IOException {
    Map<String, String> owners = new HashMap<>();
    List<String> modules = new ArrayList<>();
    ModuleFinder finder = ModuleFinder.of(jars().toArray(Path[]::new));
    for (ModuleReference module : finder.findAll()) {
      modules.add(module.descriptor().name());
      for (String name : module.descriptor().packages()) {
        String other = owners.put(name, module.descriptor().name());
        assertThat(other).as("package %s, also in %s", name, module.descriptor()).isNull();
      }
    }
    Configuration resolved =
        ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), modules);
    assertThat(resolved.modules()).hasSize(modules.size());
  }
}
