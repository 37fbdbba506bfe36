package org.fmi.transport.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An event loop driven by the caller of the transport: one thread at a time, but not always the
 * same (MPI_THREAD_SERIALIZED).
 *
 * <p>Netty lets the owner of a loop be set only once, so this class writes the field that holds the
 * owner. All decisions that depend on the owner read this field.
 */
class CallersLoop extends ManualIoEventLoop {
  private static final Field OWNER = ownerField();

  private final AtomicReference<Thread> owner;

  CallersLoop(IoHandlerFactory handlers) {
    super(Thread.currentThread(), handlers);
    owner = ownerOf(this);
  }

  private static Field ownerField() {
    try {
      Field field = ManualIoEventLoop.class.getDeclaredField("owningThread");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unchecked") // as declared by Netty
  private static AtomicReference<Thread> ownerOf(ManualIoEventLoop loop) {
    try {
      return (AtomicReference<Thread>) OWNER.get(loop);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes the calling thread the driver of the loop. */
  final void enter() {
    Thread caller = Thread.currentThread();
    if (!inEventLoop(caller)) {
      owner.set(caller);
    }
  }
}
