package org.fmi.net;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Proves to both ends of a new connection that the other one knows the job's secret, before any
 * other byte is read. Pure: bytes in, bytes out; no clock, no socket. One object serves one
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
 * Both nonces are in both codes, so that a recorded code cannot be replayed; the roles are too, so
 * that a code cannot be reflected to its sender. The identity says who connects and for what
 * purpose, in the caller's format; the accepting side sees it only once it is proven. A peer
 * without the secret learns a random number and gets a closed connection. Lengths are bounded, and
 * codes are compared in constant time. The owner of a handshake limits its duration by a timer.
 */
public final class Handshake {
  /** The most bytes in an identity. */
  public static final int MAX_IDENTITY = 256;

  /** The states of a handshake. */
  public enum State {
    /** Accepting: waits for HELLO. */
    AWAIT_HELLO,
    /** Connecting: waits for CHALLENGE. */
    AWAIT_CHALLENGE,
    /** Accepting: waits for PROOF. */
    AWAIT_PROOF,
    /** Accepting: the peer is authenticated; the owner calls {@link #accept} or {@link #refuse}. */
    DECIDING,
    /** Connecting: waits for VERDICT. */
    AWAIT_VERDICT,
    /** Both sides are authenticated and the connection is accepted: frames may follow. */
    ACCEPTED,
    /** Both sides are authenticated and the connection is refused, see {@link #code}. */
    REFUSED,
    /**
     * The peer does not belong to this job, or does not speak this protocol: close the connection.
     */
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
   * @param identity the identity and purpose of this side, at most {@link #MAX_IDENTITY} bytes
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

  /** The bytes to send when the connection is made, possibly none. */
  public byte[] start() {
    return state == State.AWAIT_CHALLENGE ? greeting() : NOTHING;
  }

  /**
   * Takes bytes that have arrived, up to the end of the handshake; later ones stay in {@code in}.
   *
   * @return the bytes to send now, possibly none
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

  /** Whether it needs more bytes from the peer. */
  private boolean waiting() {
    return switch (state) {
      case AWAIT_HELLO, AWAIT_CHALLENGE, AWAIT_PROOF, AWAIT_VERDICT -> true;
      case DECIDING, ACCEPTED, REFUSED, FAILED -> false;
    };
  }

  /** The peer's identity, on the accepting side, once proven. */
  public byte[] identity() {
    if (state != State.DECIDING && state != State.ACCEPTED && state != State.REFUSED) {
      throw new IllegalStateException("identity not proven: " + state);
    }
    return identity.clone();
  }

  /** The reason of a refusal, 1 to 255; 0 if the connection was not refused. */
  public int code() {
    return code;
  }

  /**
   * Accepts the connection. For the accepting side, in state {@link State#DECIDING}. Returns the
   * bytes to send.
   */
  public byte[] accept() {
    return decide(0, State.ACCEPTED);
  }

  /**
   * Refuses the connection. For the accepting side, in state {@link State#DECIDING}. Returns the
   * bytes to send.
   *
   * @param reason 1 to 255, sent to the peer
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

  /**
   * Detects early that a message cannot become valid: a foreign protocol, a length out of bounds.
   */
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
