package org.fmi.net;

import io.netty.util.internal.logging.AbstractInternalLogger;
import io.netty.util.internal.logging.FormattingTuple;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.MessageFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Writes Netty's warnings and errors to standard error. Without it Netty searches all jars for
 * logging libraries, which costs a starting process 15 ms, and 60 ms with the one that it finds in
 * the JDK.
 */
final class NettyLog extends AbstractInternalLogger {
  private static final long serialVersionUID = 1L;

  private NettyLog(String name) {
    super(name);
  }

  /** Installs it for all of Netty. */
  static void install() {
    InternalLoggerFactory.setDefaultFactory(
        new InternalLoggerFactory() {
          @Override
          protected InternalLogger newInstance(String name) {
            return new NettyLog(name);
          }
        });
  }

  private void print(@Nullable String message, @Nullable Throwable failure) {
    System.err.println("fmi: " + name() + ": " + message);
    if (failure != null) {
      failure.printStackTrace();
    }
  }

  private void print(FormattingTuple filled) {
    print(filled.getMessage(), filled.getThrowable());
  }

  @Override
  public boolean isTraceEnabled() {
    return false;
  }

  @Override
  public void trace(@Nullable String message) {}

  @Override
  public void trace(String format, @Nullable Object argument) {}

  @Override
  public void trace(String format, @Nullable Object first, @Nullable Object second) {}

  @Override
  public void trace(String format, @Nullable Object... arguments) {}

  @Override
  public void trace(@Nullable String message, @Nullable Throwable failure) {}

  @Override
  public boolean isDebugEnabled() {
    return false;
  }

  @Override
  public void debug(@Nullable String message) {}

  @Override
  public void debug(String format, @Nullable Object argument) {}

  @Override
  public void debug(String format, @Nullable Object first, @Nullable Object second) {}

  @Override
  public void debug(String format, @Nullable Object... arguments) {}

  @Override
  public void debug(@Nullable String message, @Nullable Throwable failure) {}

  @Override
  public boolean isInfoEnabled() {
    return false;
  }

  @Override
  public void info(@Nullable String message) {}

  @Override
  public void info(String format, @Nullable Object argument) {}

  @Override
  public void info(String format, @Nullable Object first, @Nullable Object second) {}

  @Override
  public void info(String format, @Nullable Object... arguments) {}

  @Override
  public void info(@Nullable String message, @Nullable Throwable failure) {}

  @Override
  public boolean isWarnEnabled() {
    return true;
  }

  @Override
  public void warn(@Nullable String message) {
    print(message, null);
  }

  @Override
  public void warn(String format, @Nullable Object argument) {
    print(MessageFormatter.format(format, argument));
  }

  @Override
  public void warn(String format, @Nullable Object first, @Nullable Object second) {
    print(MessageFormatter.format(format, first, second));
  }

  @Override
  public void warn(String format, @Nullable Object... arguments) {
    print(MessageFormatter.arrayFormat(format, arguments));
  }

  @Override
  public void warn(@Nullable String message, @Nullable Throwable failure) {
    print(message, failure);
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  public void error(@Nullable String message) {
    print(message, null);
  }

  @Override
  public void error(String format, @Nullable Object argument) {
    print(MessageFormatter.format(format, argument));
  }

  @Override
  public void error(String format, @Nullable Object first, @Nullable Object second) {
    print(MessageFormatter.format(format, first, second));
  }

  @Override
  public void error(String format, @Nullable Object... arguments) {
    print(MessageFormatter.arrayFormat(format, arguments));
  }

  @Override
  public void error(@Nullable String message, @Nullable Throwable failure) {
    print(message, failure);
  }
}
