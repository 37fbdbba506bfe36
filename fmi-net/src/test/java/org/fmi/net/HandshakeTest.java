package org.fmi.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.fmi.net.Handshake.State;
import org.junit.jupiter.api.Test;

class HandshakeTest {
  private static final byte[] SECRET = HexFormat.of().parseHex("0123456789abcdef".repeat(4));
  private static final byte[] ME = "rank 3 epoch 1".getBytes(UTF_8);
  private final SecureRandom random = new SecureRandom();

  @Test
  void hmacIsTheStandardOne() throws Exception {
    Random seeded = new Random(5);
    for (int n = 0; n < 200; n++) {
      byte[] key = new byte[1 + seeded.nextInt(64)];
      byte[] text = new byte[n];
      seeded.nextBytes(key);
      seeded.nextBytes(text);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      byte[] first = Arrays.copyOf(text, n / 3);
      byte[] rest = Arrays.copyOfRange(text, n / 3, n);
      assertThat(new Hmac(key).over(first, rest)).isEqualTo(mac.doFinal(text));
    }
  }

  @Test
  void bothProve() {
    Handshake c = Handshake.connecting(SECRET, random, ME);
    Handshake a = Handshake.accepting(SECRET, random);
    assertThat(a.start()).isEmpty();
    byte[] challenge = a.receive(ByteBuffer.wrap(c.start()));
    assertThatThrownBy(a::identity).isInstanceOf(IllegalStateException.class);
    assertThat(a.receive(ByteBuffer.wrap(c.receive(ByteBuffer.wrap(challenge))))).isEmpty();
    assertThat(a.state()).isEqualTo(State.DECIDING);
    assertThat(a.identity()).isEqualTo(ME);
    byte[] verdict = a.accept();
    assertThat(a.state()).isEqualTo(State.ACCEPTED);
    ByteBuffer more = ByteBuffer.allocate(100).put(verdict).put(new byte[] {1, 2, 3}).flip();
    assertThat(c.receive(more)).isEmpty();
    assertThat(c.state()).isEqualTo(State.ACCEPTED);
    assertThat(more.remaining()).isEqualTo(3);
  }

  @Test
  void refusalIsProvenToo() {
    for (int flip = 0; flip < 33; flip++) {
      Handshake c = Handshake.connecting(SECRET, random, new byte[Handshake.MAX_IDENTITY]);
      Handshake a = Handshake.accepting(SECRET, random);
      byte[] proof = c.receive(ByteBuffer.wrap(a.receive(ByteBuffer.wrap(c.start()))));
      a.receive(ByteBuffer.wrap(proof));
      byte[] verdict = a.refuse(7);
      Handshake.State expected = State.REFUSED;
      if (flip > 0) {
        verdict[flip - 1] ^= 1;
        expected = State.FAILED;
      }
      c.receive(ByteBuffer.wrap(verdict));
      assertThat(c.state()).isEqualTo(expected);
      assertThat(c.code()).isEqualTo(flip > 0 ? 0 : 7);
    }
  }

  @Test
  void aReplayedConnectionFails() {
    Handshake c = Handshake.connecting(SECRET, random, ME);
    Handshake a = Handshake.accepting(SECRET, random);
    byte[] hello = c.start();
    byte[] proof = c.receive(ByteBuffer.wrap(a.receive(ByteBuffer.wrap(hello))));
    Handshake victim = Handshake.accepting(SECRET, random);
    victim.receive(ByteBuffer.wrap(hello));
    victim.receive(ByteBuffer.wrap(proof));
    assertThat(victim.state()).isEqualTo(State.FAILED);
  }

  @Test
  void reflectionFails() {
    // A peer without the secret sends a side's own greeting back.
    Handshake c = Handshake.connecting(SECRET, random, new byte[0]);
    byte[] proof = c.receive(ByteBuffer.wrap(c.start()));
    assertThat(proof).isNotEmpty();
    c.receive(ByteBuffer.wrap(proof));
    assertThat(c.state()).isEqualTo(State.FAILED);
  }

  @Test
  void wrongSecretAndGarbageFail() {
    byte[] other = SECRET.clone();
    other[31] ^= 1;
    Handshake c = Handshake.connecting(other, random, ME);
    Handshake a = Handshake.accepting(SECRET, random);
    a.receive(ByteBuffer.wrap(c.receive(ByteBuffer.wrap(a.receive(ByteBuffer.wrap(c.start()))))));
    assertThat(a.state()).isEqualTo(State.FAILED);
    Handshake web = Handshake.accepting(SECRET, random);
    web.receive(ByteBuffer.wrap("G".getBytes(UTF_8)));
    assertThat(web.state()).isEqualTo(State.FAILED);
    assertThatThrownBy(() -> Handshake.connecting(SECRET, random, new byte[257]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /**
   * Damages one conversation in one place, in pieces of any size: the side that receives the
   * damaged bytes never trusts its peer, and each conversation ends.
   */
  @Test
  void damagedConversationsNeverAuthenticate() {
    for (int seed = 0; seed < 5000; seed++) {
      Random chance = new Random(seed);
      int damaged = chance.nextInt(4);
      Handshake c = Handshake.connecting(SECRET, random, ME);
      Handshake a = Handshake.accepting(SECRET, random);
      boolean toAcceptor = true;
      byte[] message = c.start();
      for (int step = 0; step < 4 && message.length > 0; step++) {
        byte[] sent = step == damaged ? damage(chance, message) : message;
        Handshake to = toAcceptor ? a : c;
        byte[] answer = deliver(chance, to, sent);
        if (to.state() == State.DECIDING) {
          answer = to.accept();
        }
        message = answer;
        toAcceptor = !toAcceptor;
      }
      Handshake victim = damaged % 2 == 0 ? a : c;
      assertThat(victim.state()).as("seed %s", seed).isNotEqualTo(State.ACCEPTED);
      assertThat(c.state()).as("seed %s", seed).isNotEqualTo(State.ACCEPTED);
    }
  }

  private static byte[] deliver(Random chance, Handshake to, byte[] bytes) {
    List<Byte> answer = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    while (in.hasRemaining()) {
      int n = 1 + chance.nextInt(in.remaining());
      ByteBuffer piece = in.slice(in.position(), n);
      in.position(in.position() + n);
      for (byte b : to.receive(piece)) {
        answer.add(b);
      }
      if (piece.hasRemaining()) {
        break;
      }
    }
    byte[] all = new byte[answer.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = answer.get(i);
    }
    return all;
  }

  private static byte[] damage(Random chance, byte[] bytes) {
    byte[] bad = bytes.clone();
    switch (chance.nextInt(4)) {
      case 0 -> bad[chance.nextInt(bad.length)] ^= (byte) (1 << chance.nextInt(8));
      case 1 -> {
        return Arrays.copyOf(bad, chance.nextInt(bad.length));
      }
      case 2 -> bad[chance.nextInt(bad.length)] += (byte) (1 + chance.nextInt(255));
      default -> {
        byte[] other = new byte[bad.length];
        chance.nextBytes(other);
        return other;
      }
    }
    return bad;
  }
}
