package org.fmi.transport.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An event loop that is driven by whoever calls the transport: one thread at a time, but not always
 * the same (MPI_THREAD_SERIALIZED).
 *
 * <p>Netty lets the owner of its loop be set once only, so the field is written that it keeps the
 * owner in. All that follows from who owns the loop asks this field.
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

  @SuppressWarnings("unchecked") // as Netty declares it
  private static AtomicReference<Thread> ownerOf(ManualIoEventLoop loop) {
    try {
      return (AtomicReference<Thread>) OWNER.get(loop);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The thread that calls drives the loop from now on. */
  final void enter() {
    Thread caller = Thread.currentThread();
    if (!inEventLoop(caller)) {
      owner.set(caller);
    }
  }
}
