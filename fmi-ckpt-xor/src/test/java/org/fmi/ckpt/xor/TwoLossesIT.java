package org.fmi.ckpt.xor;

import org.fmi.testkit.turns.Wide;

/** The store with a number of losses between the extremes of {@link XorStoreTest}. */
@Wide
final class TwoLossesIT extends XorStoreSuite {
  TwoLossesIT() {
    super(2);
  }
}
