package org.fmi.core.progress;

/**
 * A core dedicated to a rank's application thread while the rank communicates, if there is one.
 * Used by that thread.
 *
 * <p>Threads inherit the binding of the thread that starts them. So the runtime leaves the core
 * whenever it starts threads, and takes it again before the program continues.
 */
public interface OwnCore {
  /** No dedicated core. */
  OwnCore NONE =
      new OwnCore() {
        @Override
        public boolean exists() {
          return false;
        }

        @Override
        public boolean isWanted() {
          return false;
        }

        @Override
        public void take() {}

        @Override
        public void leave() {}
      };

  /** Whether there is a dedicated core. */
  boolean exists();

  /** Whether the JVM is compiling, usually the rank's code, and could use this core. */
  boolean isWanted();

  /** Binds the calling thread to it. */
  void take();

  /** Lets the calling thread run where it ran before it was bound. */
  void leave();
}
