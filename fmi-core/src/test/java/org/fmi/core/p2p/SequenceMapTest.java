package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The map against {@link HashMap}. */
class SequenceMapTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void behavesLikeAMap(long seed) {
    Random random = new Random(seed);
    Messenger messenger = Ranks.messenger(0, 1);
    Map<Long, MessageRequest> model = new HashMap<>();
    SequenceMap map = new SequenceMap();
    for (int i = 0; i < 100_000; i++) {
      long key = random.nextInt(i % 20_000 < 10_000 ? 2_000 : 50);
      if (random.nextInt(3) == 0) {
        assertThat(map.remove(key)).as("seed %d", seed).isSameAs(model.remove(key));
      } else if (!model.containsKey(key)) {
        MessageRequest r = messenger.requests().make();
        map.put(key, r);
        model.put(key, r);
      } else {
        assertThat(map.get(key)).as("seed %d", seed).isSameAs(model.get(key));
      }
    }
  }
}
