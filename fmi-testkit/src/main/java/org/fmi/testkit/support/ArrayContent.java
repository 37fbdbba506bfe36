package org.fmi.testkit.support;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.fmi.spi.ImageContent;

/** An image in an array, which may prove damaged at its end. */
public final class ArrayContent implements ImageContent {
  private final byte[] image;
  private final int most;
  private final String damage;
  private final CRC32C crc = new CRC32C();
  private int at;

  /**
   * @param most number of bytes returned at once
   * @param damage the message of the damage; empty if there is none
   */
  public ArrayContent(byte[] image, int most, String damage) {
    this.image = image;
    this.most = most;
    this.damage = damage;
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    int count = Math.min(Math.min(to.remaining(), image.length - at), most);
    if (count == 0) {
      return -1;
    }
    to.put(image, at, count);
    crc.reset();
    crc.update(image, at, count);
    at += count;
    if (at == image.length && !damage.isEmpty()) {
      throw new IOException(damage);
    }
    return count;
  }

  @Override
  public int sum() {
    return (int) crc.getValue();
  }

  @Override
  public void close() {}
}
