package org.fmi.core.captured;

import java.lang.StackWalker.StackFrame;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.LocalVariableInfo;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names of the variables that a lambda or an inner class has captured. The fields of an inner class
 * have the variables' names. The fields of a lambda are only numbered, so the names are looked up
 * in the class file: they are parameters of the method that the lambda was compiled to.
 */
final class CapturedNames {
  private static final String VARIABLE = "val$";
  private static final String OUTER = "this$";

  private CapturedNames() {}

  /**
   * The name of each captured variable, in the order of the fields.
   *
   * @param caller the method that has begun the loop, which usually has created the lambda
   */
  static List<String> of(Class<?> body, List<Field> fields, StackFrame caller) {
    List<String> names = new ArrayList<>();
    List<String> sources = body.isHidden() ? parameters(body, fields, caller) : List.of();
    for (int i = 0; i < fields.size(); i++) {
      String field = fields.get(i).getName();
      if (i < sources.size()) {
        names.add(sources.get(i));
      } else if (body.isHidden()) {
        names.add(Reached.variable(i));
      } else if (field.startsWith(VARIABLE)) {
        names.add(field.substring(VARIABLE.length()));
      } else {
        names.add(field.startsWith(OUTER) ? "this" : field);
      }
    }
    return names;
  }

  /**
   * The names from the class file; empty if it does not have them, or has several candidates. A
   * lambda that is made as an argument of the call is the last one made before it.
   */
  private static List<String> parameters(Class<?> body, List<Field> fields, StackFrame caller) {
    byte[] bytes = ProgramClasses.bytes(ProgramClasses.sourceOf(body));
    if (bytes == null) {
      return List.of();
    }
    ClassModel source = ClassFile.of().parse(bytes);
    Set<ClassDesc> interfaces = new LinkedHashSet<>();
    Arrays.stream(body.getInterfaces())
        .forEach(i -> interfaces.add(i.describeConstable().orElseThrow()));
    List<ClassDesc> types =
        fields.stream().map(f -> f.getType().describeConstable().orElseThrow()).toList();
    Set<List<String>> anywhere = new LinkedHashSet<>();
    Set<List<String>> inCaller = new LinkedHashSet<>();
    List<String> argument = List.of();
    for (MethodModel method : source.methods()) {
      boolean calls =
          method.methodName().equalsString(caller.getMethodName())
              && method.methodType().equalsString(caller.getDescriptor());
      int at = 0;
      boolean justMade = false;
      for (CodeElement element :
          method.code().<List<CodeElement>>map(c -> c.elementList()).orElse(List.of())) {
        if (!(element instanceof Instruction instruction)) {
          continue;
        }
        if (justMade && instruction instanceof StoreInstruction) {
          argument = List.of(); // a variable: any call may use it
        }
        justMade = false;
        if (instruction instanceof InvokeDynamicInstruction made
            && interfaces.contains(made.typeSymbol().returnType())
            && types.equals(made.typeSymbol().parameterList())) {
          List<String> names = parameters(source, made, fields.size());
          anywhere.add(names);
          if (calls) {
            inCaller.add(names);
          }
          if (calls && at < caller.getByteCodeIndex()) {
            argument = names;
            justMade = true;
          }
        }
        at += instruction.sizeInBytes();
      }
    }
    if (!argument.isEmpty()) {
      return argument;
    }
    Set<List<String>> candidates = inCaller.isEmpty() ? anywhere : inCaller;
    return candidates.size() == 1 ? candidates.iterator().next() : List.of();
  }

  private static List<String> parameters(
      ClassModel source, InvokeDynamicInstruction made, int captured) {
    for (ConstantDesc argument : made.bootstrapArgs()) {
      if (argument instanceof DirectMethodHandleDesc handle) {
        MethodModel method = find(source, handle);
        return method == null ? List.of() : variables(method, captured);
      }
    }
    return List.of();
  }

  private static @Nullable MethodModel find(ClassModel source, DirectMethodHandleDesc handle) {
    for (MethodModel method : source.methods()) {
      if (source.thisClass().asSymbol().equals(handle.owner())
          && method.methodName().equalsString(handle.methodName())
          && method.methodType().equalsString(handle.lookupDescriptor())) {
        return method;
      }
    }
    return null;
  }

  private static List<String> variables(MethodModel method, int captured) {
    Map<Integer, String> bySlot = new HashMap<>();
    method
        .code()
        .flatMap(code -> code.findAttribute(Attributes.localVariableTable()))
        .ifPresent(
            table -> {
              for (LocalVariableInfo variable : table.localVariables()) {
                if (variable.startPc() == 0) {
                  bySlot.put(variable.slot(), variable.name().stringValue());
                }
              }
            });
    List<String> names = new ArrayList<>();
    int slot = 0;
    boolean ofObject = (method.flags().flagsMask() & ClassFile.ACC_STATIC) == 0;
    if (ofObject) {
      names.add("this");
      slot++;
    }
    for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
      String name = bySlot.get(slot);
      if (names.size() == captured || name == null) {
        break;
      }
      names.add(name);
      boolean wide = type.descriptorString().equals("J") || type.descriptorString().equals("D");
      slot += wide ? 2 : 1;
    }
    return names.size() == captured ? names : List.of();
  }
}
