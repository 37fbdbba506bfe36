package org.fmi.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/** The functions called by name. */
final class NativeFunctions {
  final MemorySegment queryDevice;
  final MemorySegment allocPd;
  final MemorySegment deallocPd;
  final MemorySegment createCompChannel;
  final MemorySegment destroyCompChannel;
  final MemorySegment createCq;
  final MemorySegment destroyCq;
  final MemorySegment getCqEvent;
  final MemorySegment ackCqEvents;
  final MemorySegment createSrq;
  final MemorySegment destroySrq;
  final MemorySegment regMr;
  final MemorySegment deregMr;
  final MemorySegment queryPort;
  final MemorySegment modifyQp;
  final MemorySegment wcStatusStr;
  final MemorySegment getAsyncEvent;
  final MemorySegment ackAsyncEvent;

  final MemorySegment createEventChannel;
  final MemorySegment destroyEventChannel;
  final MemorySegment createId;
  final MemorySegment destroyId;
  final MemorySegment bindAddr;
  final MemorySegment listen;
  final MemorySegment getSrcPort;
  final MemorySegment resolveAddr;
  final MemorySegment resolveRoute;
  final MemorySegment createQp;
  final MemorySegment destroyQp;
  final MemorySegment connect;
  final MemorySegment accept;
  final MemorySegment reject;
  final MemorySegment disconnect;
  final MemorySegment getCmEvent;
  final MemorySegment ackCmEvent;

  NativeFunctions(SymbolLookup verbs, SymbolLookup cm) throws IOException {
    queryDevice = Native.function(verbs, "ibv_query_device");
    allocPd = Native.function(verbs, "ibv_alloc_pd");
    deallocPd = Native.function(verbs, "ibv_dealloc_pd");
    createCompChannel = Native.function(verbs, "ibv_create_comp_channel");
    destroyCompChannel = Native.function(verbs, "ibv_destroy_comp_channel");
    createCq = Native.function(verbs, "ibv_create_cq");
    destroyCq = Native.function(verbs, "ibv_destroy_cq");
    getCqEvent = Native.function(verbs, "ibv_get_cq_event");
    ackCqEvents = Native.function(verbs, "ibv_ack_cq_events");
    createSrq = Native.function(verbs, "ibv_create_srq");
    destroySrq = Native.function(verbs, "ibv_destroy_srq");
    regMr = Native.function(verbs, "ibv_reg_mr");
    deregMr = Native.function(verbs, "ibv_dereg_mr");
    queryPort = Native.function(verbs, "ibv_query_port");
    modifyQp = Native.function(verbs, "ibv_modify_qp");
    wcStatusStr = Native.function(verbs, "ibv_wc_status_str");
    getAsyncEvent = Native.function(verbs, "ibv_get_async_event");
    ackAsyncEvent = Native.function(verbs, "ibv_ack_async_event");

    createEventChannel = Native.function(cm, "rdma_create_event_channel");
    destroyEventChannel = Native.function(cm, "rdma_destroy_event_channel");
    createId = Native.function(cm, "rdma_create_id");
    destroyId = Native.function(cm, "rdma_destroy_id");
    bindAddr = Native.function(cm, "rdma_bind_addr");
    listen = Native.function(cm, "rdma_listen");
    getSrcPort = Native.function(cm, "rdma_get_src_port");
    resolveAddr = Native.function(cm, "rdma_resolve_addr");
    resolveRoute = Native.function(cm, "rdma_resolve_route");
    createQp = Native.function(cm, "rdma_create_qp");
    destroyQp = Native.function(cm, "rdma_destroy_qp");
    connect = Native.function(cm, "rdma_connect");
    accept = Native.function(cm, "rdma_accept");
    reject = Native.function(cm, "rdma_reject");
    disconnect = Native.function(cm, "rdma_disconnect");
    getCmEvent = Native.function(cm, "rdma_get_cm_event");
    ackCmEvent = Native.function(cm, "rdma_ack_cm_event");
  }
}
