package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Message;
import org.fmi.ObjectRequest;
import org.fmi.Request;
import org.fmi.Status;
import org.junit.jupiter.api.Test;

/** Objects that ranks send each other. */
final class ObjectMessagesTest {
  private static final int TAG = 7;

  record Task(int number, double[] data, List<String> notes) implements Serializable {
    boolean isOf(int rank) {
      return number == rank && data.length == 5_000 * rank && notes.equals(List.of("of " + rank));
    }
  }

  private static Task task(int rank) {
    return new Task(rank, new double[5_000 * rank], List.of("of " + rank));
  }

  private static void assertFails(String text, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TYPE))
        .hasMessageContaining(text);
  }

  @Test
  void objectsAreReceivedInEachWay() {
    Worlds.run(
        3,
        world -> {
          Comm turned = Objects.requireNonNull(world.split(0, -world.rank()));
          int rank = turned.rank();
          if (rank > 0) {
            turned.sendObject(task(rank), 0, TAG);
            Request send = turned.isendObject(task(rank), 0, TAG + 1);
            turned.sendObject(null, 0, TAG + 2);
            turned.sendObject(new HashMap<>(Map.of("rank", rank)), 0, TAG + 3);
            send.waitFor();
            return;
          }
          List<ObjectRequest<Task>> requests = new ArrayList<>();
          for (int i = 0; i < 2; i++) {
            requests.add(turned.irecvObject(Task.class, Comm.ANY_SOURCE, TAG + 1));
          }
          for (int i = 0; i < 2; i++) {
            Message message = turned.mprobe(Comm.ANY_SOURCE, TAG);
            int source = message.status().source();
            assertThat(Objects.requireNonNull(message.recvObject(Task.class)).isOf(source))
                .isTrue();
          }
          int first = Request.waitAny(requests.toArray(Request[]::new));
          assertThat(first).isBetween(0, 1);
          Request.waitAll(requests);
          for (ObjectRequest<Task> request : requests) {
            Status status = Objects.requireNonNull(request.status());
            Task got = Objects.requireNonNull(request.get());
            assertThat(got.isOf(status.source())).isTrue();
            assertThat(request.get()).isSameAs(got);
            assertThat(request.cancel()).isFalse();
          }
          for (int source = 1; source < 3; source++) {
            assertThat(turned.recvObject(Task.class, source, TAG + 2)).isNull();
            assertThat(turned.recvObject(Object.class, source, Comm.ANY_TAG))
                .isEqualTo(Map.of("rank", source));
          }
        });
  }

  @Test
  void whatDoesNotFitIsLostAndTheNextMessageIsNot() {
    Worlds.run(
        2,
        world -> {
          int other = 1 - world.rank();
          if (world.rank() == 0) {
            assertFails(
                "a java.lang.Thread cannot be sent, as it is not java.io.Serializable",
                () -> world.sendObject(new Thread(), other, TAG));
            assertFails(
                "cannot be sent, as it refers to a java.lang.Thread, which is not"
                    + " java.io.Serializable",
                () -> world.isendObject(List.of(new Thread()), other, TAG));
            world.sendObject("text", other, TAG);
            world.sendObject(new int[] {1}, other, TAG);
            world.send(new byte[] {1, 2}, other, TAG);
            world.send(new byte[0], other, TAG);
            world.sendObject("text", other, TAG);
            world.sendObject("last", other, TAG);
            return;
          }
          assertFails(
              "the object that rank 0 has sent with tag 7 is a java.lang.String, where a"
                  + " java.lang.Integer is received",
              () -> world.recvObject(Integer.class, other, TAG));
          assertFails(
              "world rank 0 has sent an object where world rank 1 receives byte[100], with tag 7:"
                  + " receive it with recvObject",
              () -> world.recv(new byte[100], other, TAG));
          assertFails(
              "world rank 0 has sent byte[2] where world rank 1 receives an object, with tag 7:"
                  + " send it with sendObject",
              () -> world.recvObject(Object.class, other, TAG));
          assertFails("is an empty array", () -> world.recvObject(Object.class, other, TAG));
          ObjectRequest<Integer> request = world.irecvObject(Integer.class, other, TAG);
          assertThat(request.waitFor().tag()).isEqualTo(TAG);
          assertFails("is a java.lang.String", request::get);
          assertThat(world.recvObject(CharSequence.class, other, TAG)).isEqualTo("last");
          assertFails("use that of the object", () -> world.recvObject(int.class, other, TAG));
        });
  }

  @Test
  void nobodySendsNull() {
    Worlds.run(
        1,
        world -> {
          world.sendObject("lost", Comm.PROC_NULL, TAG);
          world.isendObject("lost", Comm.PROC_NULL, TAG).waitFor();
          assertThat(world.recvObject(String.class, Comm.PROC_NULL, TAG)).isNull();
          ObjectRequest<String> request = world.irecvObject(String.class, Comm.PROC_NULL, TAG);
          assertThat(request.test()).isTrue();
          assertThat(request.waitFor()).isEqualTo(Status.PROC_NULL);
          assertThat(request.get()).isNull();
          ObjectRequest<String> never = world.irecvObject(String.class, Comm.ANY_SOURCE, TAG);
          assertThat(never.cancel()).isTrue();
          assertThat(never.get()).isNull();
          world.sendObject("to itself", 0, TAG);
          assertThat(world.mprobe(0, TAG).recvObject(String.class)).isEqualTo("to itself");
        });
  }
}
