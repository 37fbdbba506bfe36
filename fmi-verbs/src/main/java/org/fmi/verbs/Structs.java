package org.fmi.verbs;

/**
 * The offsets of fields in rdma-core's C structures, in bytes: part of its stable binary interface
 * on 64-bit Linux. A test compares them with its header files.
 */
final class Structs {
  private Structs() {}

  /** {@code struct ibv_context}: the functions that the headers call inline, and a descriptor. */
  static final class Context {
    static final int POLL_CQ = 96;
    static final int REQ_NOTIFY_CQ = 104;
    static final int POST_SRQ_RECV = 168;
    static final int POST_SEND = 208;
    static final int ASYNC_FD = 268;
    static final int USED_BYTES = 272;

    private Context() {}
  }

  /** {@code struct ibv_send_wr}. */
  static final class SendRequest {
    static final int WR_ID = 0;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;
    static final int OPCODE = 28;
    static final int SEND_FLAGS = 32;
    static final int IMM_DATA = 36;
    static final int REMOTE_ADDR = 40;
    static final int RKEY = 48;
    static final int BYTES = 128;
    static final int RDMA_WRITE = 0;
    static final int SEND_WITH_IMM = 3;
    static final int RDMA_READ = 4;

    private SendRequest() {}
  }

  /** {@code struct ibv_recv_wr}. */
  static final class ReceiveRequest {
    static final int WR_ID = 0;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;
    static final int BYTES = 32;

    private ReceiveRequest() {}
  }

  /** {@code struct ibv_sge}. */
  static final class Piece {
    static final int ADDR = 0;
    static final int LENGTH = 8;
    static final int LKEY = 12;
    static final int BYTES = 16;

    private Piece() {}
  }

  /** {@code struct ibv_wc}. */
  static final class Completion {
    static final int WR_ID = 0;
    static final int STATUS = 8;
    static final int BYTE_LEN = 20;
    static final int IMM_DATA = 24;
    static final int QP_NUM = 28;
    static final int BYTES = 48;

    private Completion() {}
  }

  /** {@code struct ibv_qp_init_attr}. */
  static final class QueuePairAttributes {
    static final int SEND_CQ = 8;
    static final int RECV_CQ = 16;
    static final int SRQ = 24;
    static final int MAX_SEND_WR = 32;
    static final int MAX_SEND_SGE = 40;
    static final int MAX_INLINE_DATA = 48;
    static final int QP_TYPE = 52;
    static final int BYTES = 64;
    static final int RELIABLE = 2;

    private QueuePairAttributes() {}
  }

  /** {@code struct ibv_qp_attr}; {@code ibv_modify_qp} reads the fields in the mask. */
  static final class QueuePairState {
    static final int QP_STATE = 0;
    static final int BYTES = 144;
    static final int MASK_STATE = 1;
    static final int ERROR = 6;

    private QueuePairState() {}
  }

  /** {@code struct ibv_srq_init_attr}. */
  static final class ReceiveQueueAttributes {
    static final int MAX_WR = 8;
    static final int MAX_SGE = 12;
    static final int BYTES = 24;

    private ReceiveQueueAttributes() {}
  }

  /** {@code struct ibv_device_attr}. */
  static final class DeviceAttributes {
    static final int MAX_QP_WR = 112;
    static final int MAX_CQE = 132;
    static final int MAX_SRQ_WR = 216;
    static final int BYTES = 232;

    private DeviceAttributes() {}
  }

  /** {@code struct ibv_port_attr}; newer libraries have a longer one. */
  static final class PortAttributes {
    static final int ACTIVE_MTU = 8;
    static final int MAX_MSG_SZ = 20;
    static final int BYTES = 128;

    /** {@code enum ibv_mtu}: this is the value 0, and each further value doubles it. */
    static final int MTU_BASE = 128;

    private PortAttributes() {}
  }

  /** {@code struct ibv_device}. */
  static final class Device {
    static final int NAME = 24;
    static final int NAME_BYTES = 64;

    private Device() {}
  }

  /** {@code struct ibv_mr}. */
  static final class MemoryRegion {
    static final int LKEY = 36;
    static final int RKEY = 40;
    static final int USED_BYTES = 44;

    private MemoryRegion() {}
  }

  /** {@code struct ibv_qp}. */
  static final class QueuePair {
    static final int QP_NUM = 52;
    static final int USED_BYTES = 56;

    private QueuePair() {}
  }

  /** {@code struct ibv_comp_channel}. */
  static final class CompletionChannel {
    static final int FD = 8;
    static final int USED_BYTES = 12;

    private CompletionChannel() {}
  }

  /** {@code struct ibv_async_event}. */
  static final class AsyncEvent {
    static final int ELEMENT = 0;
    static final int EVENT_TYPE = 8;
    static final int BYTES = 16;
    static final int DEVICE_FATAL = 8;
    static final int PORT_ERR = 10;

    private AsyncEvent() {}
  }

  /** {@code struct rdma_event_channel}. */
  static final class EventChannel {
    static final int FD = 0;
    static final int USED_BYTES = 4;

    private EventChannel() {}
  }

  /** {@code struct rdma_cm_id}. */
  static final class CmId {
    static final int VERBS = 0;
    static final int QP = 24;
    static final int PORT_NUM = 348;
    static final int USED_BYTES = 352;

    private CmId() {}
  }

  /** {@code struct rdma_cm_event}. */
  static final class CmEvent {
    static final int ID = 0;
    static final int EVENT = 16;
    static final int STATUS = 20;
    static final int PRIVATE_DATA = 24;
    static final int PRIVATE_DATA_LEN = 32;
    static final int USED_BYTES = 40;

    static final int ADDR_RESOLVED = 0;
    static final int ADDR_ERROR = 1;
    static final int ROUTE_RESOLVED = 2;
    static final int ROUTE_ERROR = 3;
    static final int CONNECT_REQUEST = 4;
    static final int CONNECT_ERROR = 6;
    static final int UNREACHABLE = 7;
    static final int REJECTED = 8;
    static final int ESTABLISHED = 9;
    static final int DISCONNECTED = 10;
    static final int DEVICE_REMOVAL = 11;

    private CmEvent() {}
  }

  /** {@code struct rdma_conn_param}. */
  static final class ConnectionParameters {
    static final int PRIVATE_DATA = 0;
    static final int PRIVATE_DATA_LEN = 8;
    static final int RESPONDER_RESOURCES = 9;
    static final int INITIATOR_DEPTH = 10;

    /** The maximum number of reads in flight per direction that both devices support. */
    static final byte MOST_READS = (byte) 0xff;

    static final int RETRY_COUNT = 12;
    static final int RNR_RETRY_COUNT = 13;
    static final int BYTES = 24;

    private ConnectionParameters() {}
  }

  /** {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
  static final class SocketAddress {
    static final int FAMILY = 0;
    static final int PORT = 2;
    static final int ADDRESS_4 = 4;
    static final int ADDRESS_6 = 8;
    static final int SCOPE_6 = 24;
    static final int BYTES = 28;
    static final short INET = 2;
    static final short INET6 = 10;

    private SocketAddress() {}
  }

  /** {@code enum rdma_port_space}. */
  static final int PORT_SPACE_TCP = 0x106;
}
