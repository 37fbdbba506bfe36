package org.fmi.codec;

import java.io.IOException;
import java.io.Writer;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.tools.Diagnostic;
import org.fmi.codec.Schema.Coded;
import org.fmi.codec.Schema.Unusable;

/** Generates codecs for interfaces marked with {@link Wire}. */
public final class WireProcessor extends AbstractProcessor {
  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of(Wire.class.getName(), Tag.class.getName(), ByHand.class.getName());
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latest();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    Set<? extends Element> roots = round.getElementsAnnotatedWith(Wire.class);
    if (!roots.isEmpty()) {
      try {
        generate(roots, round);
      } catch (Unusable e) {
        processingEnv
            .getMessager()
            .printMessage(Diagnostic.Kind.ERROR, String.valueOf(e.getMessage()), e.where);
      } catch (IOException e) {
        processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, "no codecs: " + e);
      }
    }
    return false;
  }

  private void generate(Set<? extends Element> roots, RoundEnvironment round)
      throws Unusable, IOException {
    Schema schema = new Schema();
    for (Element each : round.getElementsAnnotatedWith(ByHand.class)) {
      TypeElement codec = (TypeElement) each;
      schema.byHand(codec, written(codec), codec.getAnnotation(ByHand.class).value());
    }
    Set<TypeElement> whole = new HashSet<>();
    String inPackage = "";
    for (Element each : roots) {
      TypeElement root = (TypeElement) each;
      String found = processingEnv.getElementUtils().getPackageOf(root).toString();
      if (!inPackage.isEmpty() && !found.equals(inPackage)) {
        throw new Unusable(
            root, "messages are in one package, not in " + inPackage + " and " + found);
      }
      inPackage = found;
      whole.add(root);
      schema.add(root);
    }
    for (Coded each : schema.coded()) {
      write(
          inPackage + "." + Schema.codecName(each.type()),
          CodecSource.of(each, whole.contains(each.type()), inPackage),
          roots);
    }
    write(inPackage + ".WireVersion", CodecSource.ofVersion(schema.digest(), inPackage), roots);
  }

  /** The type of a codec written by hand. */
  private static TypeElement written(TypeElement codec) throws Unusable {
    for (Element each : codec.getEnclosedElements()) {
      if (each.getKind() == ElementKind.METHOD
          && each instanceof ExecutableElement method
          && method.getSimpleName().contentEquals("put")
          && method.getParameters().size() == 2
          && method.getParameters().getLast().asType() instanceof DeclaredType type) {
        return (TypeElement) type.asElement();
      }
    }
    throw new Unusable(codec, Schema.name(codec) + " has no put(MessageWriter, T)");
  }

  private void write(String name, String text, Set<? extends Element> from) throws IOException {
    try (Writer out =
        processingEnv
            .getFiler()
            .createSourceFile(name, from.toArray(Element[]::new))
            .openWriter()) {
      out.write(text);
    }
  }
}
