package org.fmi.run.rank;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Detects an exception that is propagating through the callers of this thread: one of them calls
 * from a handler that will rethrow, such as that of {@code try (Fmi fmi = ...)} or of a {@code
 * finally}. The compiler generates two calls of {@code close} there, and the position of the caller
 * shows which of them this is.
 */
final class Unwinding {
  private Unwinding() {}

  /** Whether an exception will follow this call, as far as callers are known. */
  static boolean isUnderWay() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .dropWhile(Unwinding::isOurs)
                    .takeWhile(frame -> frame.getDeclaringClass() != RankMain.class)
                    .anyMatch(Unwinding::throwsOn));
  }

  private static boolean isOurs(StackWalker.StackFrame frame) {
    return frame.getDeclaringClass() == Unwinding.class
        || frame.getClassName().startsWith("org.fmi.core.");
  }

  private static boolean throwsOn(StackWalker.StackFrame frame) {
    String file = frame.getDeclaringClass().getName().replaceFirst(".*\\.", "") + ".class";
    try (InputStream in = frame.getDeclaringClass().getResourceAsStream(file)) {
      if (in == null) {
        return false;
      }
      ClassModel model = ClassFile.of().parse(in.readAllBytes());
      for (MethodModel method : model.methods()) {
        if (method.methodName().equalsString(frame.getMethodName())
            && method.methodType().equalsString(frame.getDescriptor())) {
          return method
              .findAttribute(Attributes.code())
              .map(code -> new Flow(code).throwsOn(frame.getByteCodeIndex()))
              .orElse(false);
        }
      }
      return false;
    } catch (IOException | IllegalArgumentException e) {
      return false; // unknown: the other ranks are waited for
    }
  }

  /** The successors of each instruction of a method, without exceptions. */
  private static final class Flow {
    private final Map<Integer, List<Integer>> next = new HashMap<>();
    private final BitSet returns = new BitSet();

    Flow(CodeAttribute code) {
      int at = 0;
      for (CodeElement element : code) {
        if (element instanceof Instruction instruction) {
          int after = at + instruction.sizeInBytes();
          next.put(at, targets(code, instruction, after));
          if (instruction instanceof ReturnInstruction) {
            returns.set(at);
          }
          at = after;
        }
      }
    }

    private static List<Integer> targets(CodeAttribute code, Instruction from, int after) {
      return switch (from) {
        case BranchInstruction i ->
            i.opcode() == Opcode.GOTO || i.opcode() == Opcode.GOTO_W
                ? List.of(code.labelToBci(i.target()))
                : List.of(code.labelToBci(i.target()), after);
        case LookupSwitchInstruction i -> targets(code, i.defaultTarget(), i.cases());
        case TableSwitchInstruction i -> targets(code, i.defaultTarget(), i.cases());
        case ReturnInstruction _, ThrowInstruction _ -> List.of();
        default -> List.of(after);
      };
    }

    private static List<Integer> targets(CodeAttribute code, Label other, List<SwitchCase> cases) {
      List<Integer> found = new ArrayList<>();
      found.add(code.labelToBci(other));
      cases.forEach(each -> found.add(code.labelToBci(each.target())));
      return found;
    }

    /** Whether a handler makes this call, and all paths from here end with an exception. */
    boolean throwsOn(int call) {
      return !reached(0).get(call) && !reached(call).intersects(returns);
    }

    private BitSet reached(int from) {
      BitSet found = new BitSet();
      Deque<Integer> open = new ArrayDeque<>(List.of(from));
      @Nullable Integer at;
      while ((at = open.poll()) != null) {
        if (!found.get(at)) {
          found.set(at);
          open.addAll(next.getOrDefault(at, List.of()));
        }
      }
      return found;
    }
  }
}
