package org.fmi.codec;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** All types of which messages consist, found from their sealed interfaces. */
final class Schema {
  /** A source element for which no codec can be generated. */
  static final class Unusable extends Exception {
    private static final long serialVersionUID = 1L;
    final transient Element where;

    Unusable(Element where, String message) {
      super(message);
      this.where = where;
    }
  }

  /** A component of a record. */
  record Component(String name, Form form) {}

  /** A record with its components, in order. */
  record Struct(TypeElement type, List<Component> components) {}

  /**
   * A type with a codec.
   *
   * @param cases by tag for a sealed interface; for a record, only itself
   */
  record Coded(TypeElement type, boolean sealed, Map<Integer, Struct> cases) {}

  /** Increased when the encoding of a {@link Form} changes. */
  private static final int LAYOUT = 1;

  private static final String NULLABLE = "org.jspecify.annotations.Nullable";

  private static final Map<String, String> BASIC =
      Map.of(
          "java.lang.Integer", "Int",
          "java.lang.Long", "Long",
          "java.lang.Boolean", "Boolean",
          "java.lang.Double", "Double",
          "java.lang.String", "String");

  /** The types with codecs, by name. */
  private final Map<String, Coded> coded = new TreeMap<>();

  /** Descriptions of everything else that affects the encoding, by name. */
  private final Map<String, String> others = new TreeMap<>();

  private final Map<String, String> byHand = new HashMap<>();
  private final Deque<TypeElement> toBeRead = new ArrayDeque<>();

  /** Registers a class as the codec of a type. */
  void byHand(TypeElement codec, TypeElement type, int version) {
    byHand.put(name(type), codec.getSimpleName().toString());
    others.put(name(type), name(type) + " by hand " + version);
  }

  /** Adds a sealed interface or record, and all its component types. */
  void add(TypeElement root) throws Unusable {
    toBeRead.add(root);
    TypeElement next;
    while ((next = toBeRead.poll()) != null) {
      if (!coded.containsKey(name(next))) {
        coded.put(name(next), read(next));
      }
    }
  }

  Iterable<Coded> coded() {
    return coded.values();
  }

  /** A number that changes with the encoding of messages. */
  int digest() {
    StringBuilder text = new StringBuilder("layout " + LAYOUT + "\n");
    others.values().forEach(line -> text.append(line).append('\n'));
    coded.forEach((name, each) -> text.append(name).append(' ').append(each.cases).append('\n'));
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return (hash[0] & 0xff) << 24
          | (hash[1] & 0xff) << 16
          | (hash[2] & 0xff) << 8
          | (hash[3] & 0xff);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each JDK has it
    }
  }

  private Coded read(TypeElement type) throws Unusable {
    if (type.getKind() == ElementKind.RECORD) {
      return new Coded(type, false, Map.of(0, struct(type)));
    }
    Map<Integer, Struct> cases = new TreeMap<>();
    for (TypeElement each : records(type)) {
      Tag tag = each.getAnnotation(Tag.class);
      if (tag == null) {
        throw new Unusable(each, name(each) + " has no @Tag, as one of " + name(type));
      }
      if (tag.value() < 1 || tag.value() > 255) {
        throw new Unusable(each, "the tag of " + name(each) + " is not between 1 and 255");
      }
      Struct other = cases.put(tag.value(), struct(each));
      if (other != null) {
        throw new Unusable(
            each, name(each) + " has the tag " + tag.value() + " of " + name(other.type));
      }
    }
    return new Coded(type, true, cases);
  }

  /** All records of a sealed interface, including records of nested sealed interfaces. */
  private static List<TypeElement> records(TypeElement type) throws Unusable {
    if (type.getKind() == ElementKind.RECORD) {
      return List.of(type);
    }
    if (type.getKind() != ElementKind.INTERFACE || !type.getModifiers().contains(Modifier.SEALED)) {
      throw new Unusable(type, name(type) + " is neither a record nor a sealed interface");
    }
    List<TypeElement> all = new ArrayList<>();
    for (TypeMirror each : type.getPermittedSubclasses()) {
      all.addAll(records((TypeElement) ((DeclaredType) each).asElement()));
    }
    return all;
  }

  private Struct struct(TypeElement type) throws Unusable {
    List<Component> components = new ArrayList<>();
    for (RecordComponentElement each : type.getRecordComponents()) {
      Form form = form(each.asType(), each);
      components.add(
          new Component(
              each.getSimpleName().toString(), mayBeNull(each) ? new Form.OrNull(form) : form));
    }
    return new Struct(type, components);
  }

  /**
   * Whether a component may be null. For a type from a class file, only the accessor has the
   * annotation.
   */
  private static boolean mayBeNull(RecordComponentElement component) {
    return isNullable(component.asType()) || isNullable(component.getAccessor().getReturnType());
  }

  private static boolean isNullable(TypeMirror type) {
    for (AnnotationMirror each : type.getAnnotationMirrors()) {
      if (name((TypeElement) each.getAnnotationType().asElement()).equals(NULLABLE)) {
        return true;
      }
    }
    return false;
  }

  private Form form(TypeMirror type, RecordComponentElement where) throws Unusable {
    return switch (type.getKind()) {
      case INT -> new Form.Basic("Int");
      case LONG -> new Form.Basic("Long");
      case BOOLEAN -> new Form.Basic("Boolean");
      case DOUBLE -> new Form.Basic("Double");
      case ARRAY -> array(((ArrayType) type).getComponentType().getKind(), where);
      case DECLARED -> declared((DeclaredType) type, where);
      default -> throw cannotBeWritten(where);
    };
  }

  private static Form array(TypeKind of, RecordComponentElement where) throws Unusable {
    return switch (of) {
      case BYTE -> new Form.Basic("Bytes");
      case INT -> new Form.Basic("Ints");
      case LONG -> new Form.Basic("Longs");
      default -> throw cannotBeWritten(where);
    };
  }

  private Form declared(DeclaredType type, RecordComponentElement where) throws Unusable {
    TypeElement element = (TypeElement) type.asElement();
    String name = name(element);
    String basic = BASIC.get(name);
    if (basic != null) {
      return new Form.Basic(basic);
    }
    String own = byHand.get(name);
    if (own != null) {
      return new Form.Part(element, own);
    }
    List<? extends TypeMirror> arguments = type.getTypeArguments();
    if (name.equals("java.util.List") && !arguments.isEmpty()) {
      return new Form.ListOf(form(arguments.getFirst(), where));
    }
    if (name.equals("java.util.Map") && !arguments.isEmpty()) {
      return new Form.MapOf(form(arguments.getFirst(), where), form(arguments.getLast(), where));
    }
    if (element.getKind() == ElementKind.ENUM) {
      others.put(name, name + " " + constants(element));
      return new Form.Constant(element);
    }
    if (element.getKind() == ElementKind.RECORD
        || element.getModifiers().contains(Modifier.SEALED)) {
      toBeRead.add(element);
      return new Form.Part(element, codecName(element));
    }
    throw cannotBeWritten(where);
  }

  private static List<String> constants(TypeElement type) {
    return type.getEnclosedElements().stream()
        .filter(each -> each.getKind() == ElementKind.ENUM_CONSTANT)
        .map(each -> each.getSimpleName().toString())
        .toList();
  }

  private static Unusable cannotBeWritten(RecordComponentElement where) {
    return new Unusable(
        where,
        where.getEnclosingElement()
            + "."
            + where.getSimpleName()
            + " cannot be written: there is no codec for "
            + where.asType());
  }

  static String name(TypeElement type) {
    return type.getQualifiedName().toString();
  }

  /** The nested name of a type, the outermost first: {@code RankReport.Waiting}. */
  static String nestedName(TypeElement type) {
    List<String> names = new ArrayList<>();
    for (Element each = type; each instanceof TypeElement; each = each.getEnclosingElement()) {
      names.addFirst(each.getSimpleName().toString());
    }
    return String.join(".", names);
  }

  static TypeElement outermost(TypeElement type) {
    return type.getEnclosingElement() instanceof TypeElement outer ? outermost(outer) : type;
  }

  static String codecName(TypeElement type) {
    return nestedName(type).replace(".", "") + "Codec";
  }
}
