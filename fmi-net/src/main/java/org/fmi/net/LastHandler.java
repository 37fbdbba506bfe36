package org.fmi.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;

/**
 * The last handler of a channel.
 *
 * <p>Replaces Netty's adapter, whose annotations are read when the first channel is made. The JVM
 * creates classes for them, which costs each process milliseconds.
 */
public abstract class LastHandler implements ChannelInboundHandler {
  @Override
  public void handlerAdded(ChannelHandlerContext context) {}

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {}

  @Override
  public void channelRegistered(ChannelHandlerContext context) {}

  @Override
  public void channelUnregistered(ChannelHandlerContext context) {}

  @Override
  public void channelActive(ChannelHandlerContext context) {}

  @Override
  public void channelInactive(ChannelHandlerContext context) {}

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {}

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {}

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {}

  @Override
  @SuppressWarnings("deprecation") // declared so for handlers of outbound events
  public abstract void exceptionCaught(ChannelHandlerContext context, Throwable cause);
}
