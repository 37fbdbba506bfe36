package org.fmi.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;

/**
 * The last handler of a channel: what it does not take, nobody does.
 *
 * <p>Instead of Netty's adapter, whose annotations are read when the first channel is made: for
 * that the virtual machine makes classes, which takes each process milliseconds.
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
  @SuppressWarnings("deprecation") // of handlers that take what is sent
  public abstract void exceptionCaught(ChannelHandlerContext context, Throwable cause);
}
