package org.fmi.run.tool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.fmi.core.checkpoint.SavedState.Content;

/** The NumPy format of one array, version 1.0: a header, then the elements. */
final class NumpyFile {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};

  /** Alignment of the first element. */
  private static final int ALIGNMENT = 64;

  private NumpyFile() {}

  static void writeHeader(OutputStream out, Content array) throws IOException {
    String shape =
        Arrays.stream(array.shape()).mapToObj(each -> each + ",").collect(Collectors.joining(" "));
    String text =
        "{'descr': '"
            + type(array.element())
            + "', 'fortran_order': False, 'shape': ("
            + shape
            + "), }";
    int before = MAGIC.length + Short.BYTES;
    int padding = ALIGNMENT - (before + text.length() + 1) % ALIGNMENT;
    byte[] header = (text + " ".repeat(padding) + "\n").getBytes(StandardCharsets.US_ASCII);
    out.write(MAGIC);
    out.write(header.length);
    out.write(header.length >> Byte.SIZE);
    out.write(header);
  }

  /** Returns NumPy's name of a type, little endian like images. */
  private static String type(Class<?> element) {
    return switch (element.getName()) {
      case "byte" -> "|i1";
      case "boolean" -> "|b1";
      case "char" -> "<u2";
      case "short" -> "<i2";
      case "int" -> "<i4";
      case "long" -> "<i8";
      case "float" -> "<f4";
      case "double" -> "<f8";
      default -> throw new IllegalArgumentException("NumPy has no type for " + element);
    };
  }
}
