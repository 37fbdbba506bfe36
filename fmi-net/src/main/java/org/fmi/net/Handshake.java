package org.fmi.net;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Proves to each other that both ends of a new connection know the job's secret, before any other
 * byte is looked at. Pure: bytes in, bytes out; no clock, no socket. One object serves one
 * connection.
 *
 * <pre>
 *   connecting side                                               accepting side
 *        |                                                               |
 *        | HELLO      "FMI" 1 | nonce C (32)                             |
 *        | ------------------------------------------------------------> |
 *        |                           "FMI" 1 | nonce A (32)   CHALLENGE  |
 *        | <------------------------------------------------------------ |
 *        | PROOF      identity length (2) | identity | MAC C (32)        |
 *        | ------------------------------------------------------------> | MAC wrong: FAILED, closes
 *        |                                                               | MAC right: DECIDING
 *        |                             code (1) | MAC A (32)    VERDICT  |
 *        | <------------------------------------------------------------ | code 0: ACCEPTED
 *    ACCEPTED or REFUSED                                                 | else: REFUSED, closes
 *
 *   MAC C = HMAC-SHA256(secret, "FMI1 connecting:" | nonce C | nonce A | identity length | identity)
 *   MAC A = HMAC-SHA256(secret, "FMI1 accepting :" | nonce C | nonce A | MAC C | code)
 * </pre>
 *
 * Both nonces are in both codes, so that nothing recorded can be used again; the roles are too, so
 * that nobody's words can be reflected to him. The identity says who connects and what for (its
 * format is the caller's); the accepting side sees it only after it is proven. Whoever lacks the
 * secret learns a random number and gets a closed connection. Lengths are bounded, codes are
 * compared in constant time. A handshake that waits for bytes that never come is its owner's to
 * end, by a timer.
 */
public final class Handshake {
  /** The most bytes an identity may have. */
  public static final int MAX_IDENTITY = 256;

  /** Where a handshake stands. */
  public enum State {
    /** Accepting: waits for HELLO. */
    AWAIT_HELLO,
    /** Connecting: waits for CHALLENGE. */
    AWAIT_CHALLENGE,
    /** Accepting: waits for PROOF. */
    AWAIT_PROOF,
    /**
     * Accepting: the peer has proven itself; the owner calls {@link #accept} or {@link #refuse}.
     */
    DECIDING,
    /** Connecting: waits for VERDICT. */
    AWAIT_VERDICT,
    /** Both sides have proven themselves and the connection is wanted: frames may follow. */
    ACCEPTED,
    /** Both sides have proven themselves and the connection is not wanted, see {@link #code}. */
    REFUSED,
    /** The peer is not of this job, or does not speak this protocol: close the connection. */
    FAILED
  }

  private static final byte[] MAGIC = {'F', 'M', 'I', 1};
  private static final byte[] CONNECTING = "FMI1 connecting:".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ACCEPTING = "FMI1 accepting :".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOTHING = {};
  private static final int NONCE = 32;
  private static final int GREETING = MAGIC.length + NONCE;
  private static final int VERDICT = 1 + Hmac.BYTES;

  private final Hmac hmac;
  private final byte[] ownNonce = new byte[NONCE];
  private byte[] peerNonce = NOTHING;
  private byte[] identity;
  private byte[] proof = NOTHING;
  private int code;

  private State state;

  /** The message being received: {@link #filled} of its {@link #expected} bytes are here. */
  private final byte[] message = new byte[2 + MAX_IDENTITY + Hmac.BYTES];

  private int filled;
  private int expected = GREETING;

  private Handshake(byte[] secret, SecureRandom random, State state, byte[] identity) {
    this.hmac = new Hmac(secret);
    this.state = state;
    this.identity = identity;
    random.nextBytes(ownNonce);
  }

  /**
   * The connecting side.
   *
   * @param identity who connects and what for, at most {@link #MAX_IDENTITY} bytes
   */
  public static Handshake connecting(byte[] secret, SecureRandom random, byte[] identity) {
    if (identity.length > MAX_IDENTITY) {
      throw new IllegalArgumentException(
          "identity of " + identity.length + " bytes, at most " + MAX_IDENTITY);
    }
    return new Handshake(secret, random, State.AWAIT_CHALLENGE, identity.clone());
  }

  /** The accepting side. */
  public static Handshake accepting(byte[] secret, SecureRandom random) {
    return new Handshake(secret, random, State.AWAIT_HELLO, NOTHING);
  }

  /** What to send when the connection is made, possibly nothing. */
  public byte[] start() {
    return state == State.AWAIT_CHALLENGE ? greeting() : NOTHING;
  }

  /**
   * Takes bytes that have arrived, at most those that belong to the handshake: what follows is left
   * in {@code in}.
   *
   * @return what to send now, possibly nothing
   */
  public byte[] receive(ByteBuffer in) {
    while (in.hasRemaining() && waiting()) {
      int n = Math.min(in.remaining(), expected - filled);
      in.get(message, filled, n);
      filled += n;
      if (!plausible()) {
        state = State.FAILED;
        return NOTHING;
      }
      if (filled == expected) {
        filled = 0;
        byte[] answer = complete();
        if (answer.length > 0) {
          return answer;
        }
      }
    }
    return NOTHING;
  }

  public State state() {
    return state;
  }

  /** Whether it needs bytes of the peer to go on. */
  private boolean waiting() {
    return switch (state) {
      case AWAIT_HELLO, AWAIT_CHALLENGE, AWAIT_PROOF, AWAIT_VERDICT -> true;
      case DECIDING, ACCEPTED, REFUSED, FAILED -> false;
    };
  }

  /** What the peer said of itself. Accepting side, once proven. */
  public byte[] identity() {
    if (state != State.DECIDING && state != State.ACCEPTED && state != State.REFUSED) {
      throw new IllegalStateException("identity not proven: " + state);
    }
    return identity.clone();
  }

  /** Why the connection was refused, 1 to 255; 0 if it was not. */
  public int code() {
    return code;
  }

  /** Accepting side, when {@link State#DECIDING}: takes the connection; returns what to send. */
  public byte[] accept() {
    return decide(0, State.ACCEPTED);
  }

  /**
   * Accepting side, when {@link State#DECIDING}: turns the connection down; returns what to send.
   *
   * @param reason 1 to 255, told to the peer
   */
  public byte[] refuse(int reason) {
    if (reason < 1 || reason > 255) {
      throw new IllegalArgumentException("reason " + reason);
    }
    return decide(reason, State.REFUSED);
  }

  private byte[] decide(int decision, State next) {
    if (state != State.DECIDING) {
      throw new IllegalStateException(state.toString());
    }
    state = next;
    code = decision;
    return join(new byte[] {(byte) decision}, verdictCode(peerNonce, ownNonce, (byte) decision));
  }

  /** Ends early what cannot become right: foreign protocols, lengths out of bounds. */
  private boolean plausible() {
    return switch (state) {
      case AWAIT_HELLO, AWAIT_CHALLENGE -> {
        int n = Math.min(filled, MAGIC.length);
        yield Arrays.equals(message, 0, n, MAGIC, 0, n);
      }
      case AWAIT_PROOF -> {
        if (expected == 2 && filled == 2) {
          expected = 2 + identityLength() + Hmac.BYTES;
        }
        yield expected <= message.length;
      }
      case AWAIT_VERDICT -> true;
      case DECIDING, ACCEPTED, REFUSED, FAILED -> throw new IllegalStateException(state.toString());
    };
  }

  private int identityLength() {
    return (message[0] & 0xff) << 8 | (message[1] & 0xff);
  }

  private byte[] complete() {
    return switch (state) {
      case AWAIT_HELLO -> {
        peerNonce = Arrays.copyOfRange(message, MAGIC.length, GREETING);
        state = State.AWAIT_PROOF;
        expected = 2;
        yield greeting();
      }
      case AWAIT_CHALLENGE -> {
        peerNonce = Arrays.copyOfRange(message, MAGIC.length, GREETING);
        proof = proofCode(ownNonce, peerNonce, identity);
        state = State.AWAIT_VERDICT;
        expected = VERDICT;
        yield join(length(identity), identity, proof);
      }
      case AWAIT_PROOF -> {
        int end = 2 + identityLength();
        byte[] claimed = Arrays.copyOfRange(message, 2, end);
        proof = Arrays.copyOfRange(message, end, end + Hmac.BYTES);
        if (MessageDigest.isEqual(proof, proofCode(peerNonce, ownNonce, claimed))) {
          identity = claimed;
          state = State.DECIDING;
        } else {
          state = State.FAILED;
        }
        yield NOTHING;
      }
      case AWAIT_VERDICT -> {
        byte[] mac = Arrays.copyOfRange(message, 1, VERDICT);
        if (!MessageDigest.isEqual(mac, verdictCode(ownNonce, peerNonce, message[0]))) {
          state = State.FAILED;
        } else {
          code = message[0] & 0xff;
          state = code == 0 ? State.ACCEPTED : State.REFUSED;
        }
        yield NOTHING;
      }
      case DECIDING, ACCEPTED, REFUSED, FAILED -> throw new IllegalStateException(state.toString());
    };
  }

  private byte[] greeting() {
    return join(MAGIC, ownNonce);
  }

  private byte[] proofCode(byte[] nonceC, byte[] nonceA, byte[] id) {
    return hmac.over(CONNECTING, nonceC, nonceA, length(id), id);
  }

  private byte[] verdictCode(byte[] nonceC, byte[] nonceA, byte decision) {
    return hmac.over(ACCEPTING, nonceC, nonceA, proof, new byte[] {decision});
  }

  private static byte[] length(byte[] id) {
    return new byte[] {(byte) (id.length >> 8), (byte) id.length};
  }

  private static byte[] join(byte[]... parts) {
    int n = 0;
    for (byte[] part : parts) {
      n += part.length;
    }
    ByteBuffer all = ByteBuffer.allocate(n);
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }
}
