package org.fmi.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.fmi.spi.Endpoints;
import org.junit.jupiter.api.Test;

final class AddressTableTest {
  private static final List<String> NAMES = List.of("shm", "tcp", "detector");

  @Test
  void hasTheAddressesOfAllRanks() {
    SplittableRandom random = new SplittableRandom(3);
    for (int ranks = 0; ranks < 20; ranks++) {
      List<Map<String, byte[]>> all = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        all.add(addresses(random, rank == 7 ? 300 : 5));
      }
      AddressTable table = AddressTable.of(all);
      assertHas(all, table);
      AddressTable read = AddressTable.in(table.bytes());
      assertHas(all, read);
      assertThat(read).isEqualTo(table).hasSameHashCodeAs(table);
    }
  }

  /** Addresses for some of the names, each with fewer bytes than {@code below}. */
  private static Map<String, byte[]> addresses(SplittableRandom random, int below) {
    Map<String, byte[]> some = new HashMap<>();
    for (String name : NAMES) {
      if (random.nextInt(4) > 0) {
        byte[] address = new byte[random.nextInt(below)];
        random.nextBytes(address);
        some.put(name, address);
      }
    }
    return some;
  }

  private static void assertHas(List<Map<String, byte[]>> all, AddressTable table) {
    assertThat(table.size()).isEqualTo(all.size());
    for (String name : List.of("shm", "tcp", "detector", "rdma")) {
      Endpoints column = table.named(name);
      assertThat(column.size()).isEqualTo(all.size());
      for (int rank = 0; rank < all.size(); rank++) {
        byte[] expected = all.get(rank).getOrDefault(name, new byte[0]);
        assertThat(column.get(rank)).isEqualTo(expected);
        assertThat(column.has(rank)).isEqualTo(expected.length > 0);
      }
    }
  }

  /** Of more ranks than a block of the builder holds, in any order, and repeatedly. */
  @Test
  void hasTheNewestAddressOfEachRank() {
    SplittableRandom random = new SplittableRandom(4);
    for (int ranks : new int[] {1, 7, 1023, 1024, 1025, 2500}) {
      AddressTable.Builder builder = new AddressTable.Builder(ranks);
      List<Map<String, byte[]>> all = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        all.add(Map.of());
      }
      for (int i = 0; i < 2 * ranks; i++) {
        int rank = random.nextInt(ranks);
        Map<String, byte[]> one = addresses(random, 5);
        builder.put(rank, one);
        all.set(rank, one);
      }
      AddressTable table = builder.build();
      assertHas(all, table);
      assertHas(all, AddressTable.in(table.bytes()));
    }
  }

  @Test
  void differsFromAnother() {
    AddressTable one = AddressTable.of(List.of(Map.of("tcp", new byte[] {1})));
    assertThat(one)
        .isEqualTo(AddressTable.of(List.of(Map.of("tcp", new byte[] {1}))))
        .isNotEqualTo(AddressTable.of(List.of(Map.of("tcp", new byte[] {2}))))
        .isNotEqualTo(AddressTable.of(List.of(Map.of("shm", new byte[] {1}))));
  }

  @Test
  void refusesAnAddressThatIsTooLong() {
    assertThatThrownBy(() -> AddressTable.of(List.of(Map.of("tcp", new byte[1 << 16]))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an address of 65536 bytes for tcp");
  }

  /** Any bytes yield a table, or an exception with a message. */
  @Test
  void refusesWhatIsNoTable() {
    byte[] good =
        AddressTable.of(List.of(Map.of("tcp", new byte[] {1, 2}), Map.of("shm", new byte[] {3})))
            .bytes()
            .toArray(ValueLayout.JAVA_BYTE);
    for (int length = 0; length < good.length; length++) {
      MemorySegment cut = MemorySegment.ofArray(good).asSlice(0, length);
      assertThatThrownBy(() -> AddressTable.in(cut)).isInstanceOf(IllegalArgumentException.class);
    }
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = good.clone();
      bytes[random.nextInt(24)] = (byte) random.nextInt();
      try {
        AddressTable table = AddressTable.in(MemorySegment.ofArray(bytes));
        Endpoints column = table.named("tcp");
        for (int rank = 0; rank < column.size(); rank++) {
          assertThat(column.has(rank)).isEqualTo(column.get(rank).length > 0);
        }
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).isNotNull();
      }
    }
  }
}
