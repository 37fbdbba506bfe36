package org.fmi.job.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.junit.jupiter.api.Test;

final class AddressCodecTest {
  /** Each node is told of each rank: at ten thousand nodes a byte here is 100 MB for fmirun. */
  @Test
  void takesLittleMoreThanThePortsOfEachRank() throws BadMessageException {
    int ranks = 4096;
    SplittableRandom random = new SplittableRandom(1);
    List<Map<String, byte[]>> all = new ArrayList<>();
    long plain = 0;
    for (int rank = 0; rank < ranks; rank++) {
      String host = "10.0." + rank / 256 + "." + rank % 256;
      byte[] tcp = endpoint(random, host);
      byte[] detector = endpoint(random, host);
      all.add(Map.of("tcp", tcp, "detector", detector));
      plain += tcp.length + detector.length;
    }
    JobMessage.Start start = new JobMessage.Start(1, true, AddressTable.of(all));
    byte[] message = ToDaemonCodec.encode(new ToDaemon.ForwardAll(start));
    int ports = 2 * Short.BYTES * ranks;
    assertThat(message.length).isBetween(ports / 2, 2 * ports).isLessThan((int) plain / 3);
    ToDaemon.ForwardAll back = (ToDaemon.ForwardAll) ToDaemonCodec.decode(ByteBuffer.wrap(message));
    assertThat(back.message()).isEqualTo(start);
  }

  private static byte[] endpoint(SplittableRandom random, String host) {
    byte[] name = host.getBytes(UTF_8);
    int port = 32768 + random.nextInt(28232);
    return ByteBuffer.allocate(2 + name.length).putShort((short) port).put(name).array();
  }

  /** What a message announces must be there: nobody makes a reader allocate without sending. */
  @Test
  void refusesTablesThatSayMoreThanTheyHave() {
    MessageWriter bad = new MessageWriter();
    bad.putInt(Integer.MAX_VALUE);
    bad.putBytes(new byte[10]);
    byte[] bytes = bad.toBytes();
    assertThatThrownBy(() -> AddressCodec.get(new MessageReader(ByteBuffer.wrap(bytes))))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("2147483647 bytes of addresses");
    MessageWriter good = new MessageWriter();
    AddressCodec.put(good, AddressTable.of(List.of(Map.of("tcp", new byte[] {1, 2}))));
    byte[] longer = good.toBytes();
    longer[Integer.BYTES]++;
    assertThatThrownBy(() -> AddressCodec.get(new MessageReader(ByteBuffer.wrap(longer))))
        .isInstanceOf(BadMessageException.class);
    assertThatThrownBy(
            () -> AddressCodec.get(new MessageReader(ByteBuffer.wrap(Arrays.copyOf(longer, 8)))))
        .isInstanceOf(BadMessageException.class);
  }
}
