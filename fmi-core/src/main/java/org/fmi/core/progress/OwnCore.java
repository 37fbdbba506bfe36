package org.fmi.core.progress;

/**
 * The core that the application's thread of a rank has to itself while the rank communicates, if
 * there is one. Used by that thread.
 *
 * <p>Threads inherit what their starter is bound to. So the runtime leaves the core whenever it
 * starts threads of its own, and takes it again before the program goes on.
 */
public interface OwnCore {
  /** The rank shares its cores. */
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

  /** Whether there is one. */
  boolean exists();

  /** Whether the JVM compiles now, the rank's code as a rule, and could do with this core. */
  boolean isWanted();

  /** Binds the calling thread to it. */
  void take();

  /** Lets the calling thread run where it ran before it was bound. */
  void leave();
}
