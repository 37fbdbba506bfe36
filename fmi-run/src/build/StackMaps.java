import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar with classes of Java 5, whose code then has stack maps, as that of Java 8: AOT
 * caches (JEP 483) take no older ones, so that they would be parsed and verified at every start.
 *
 * <pre>java StackMaps.java JAR NEW-JAR</pre>
 */
final class StackMaps {
  private StackMaps() {}

  public static void main(String[] args) throws IOException {
    Path from = Path.of(args[0]);
    Path to = Path.of(args[1]);
    Files.createDirectories(to.getParent());
    try (URLClassLoader classes = new URLClassLoader(new URL[] {from.toUri().toURL()});
        ZipFile in = new ZipFile(from.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(to))) {
      ClassFile format =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(classes)));
      for (ZipEntry entry : Collections.list(in.entries())) {
        byte[] bytes = in.getInputStream(entry).readAllBytes();
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        out.write(entry.getName().endsWith(".class") ? withStackMaps(format, bytes) : bytes);
        out.closeEntry();
      }
    }
  }

  private static byte[] withStackMaps(ClassFile format, byte[] bytes) {
    ClassModel old = format.parse(bytes);
    if (old.majorVersion() >= ClassFile.JAVA_8_VERSION) {
      return bytes;
    }
    ClassTransform newer =
        ClassTransform.endHandler(builder -> builder.withVersion(ClassFile.JAVA_8_VERSION, 0));
    return format.transformClass(
        old, ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL).andThen(newer));
  }
}
