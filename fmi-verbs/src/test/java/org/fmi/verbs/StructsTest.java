package org.fmi.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares {@link Structs} with the layouts of a C compiler for rdma-core's header files. */
class StructsTest {
  @TempDir Path directory = Path.of("");

  private final Map<String, Integer> ours = new LinkedHashMap<>();

  private void offset(String struct, String field, int value) {
    ours.put("offsetof(struct " + struct + ", " + field + ")", value);
  }

  private void size(String struct, int value) {
    ours.put("sizeof(struct " + struct + ")", value);
  }

  private void fits(String struct, int bytes) {
    ours.put("sizeof(struct " + struct + ") >= " + bytes, 1);
  }

  @Test
  void layoutsAreThoseOfTheHeaders() throws Exception {
    assumeTrue(
        Files.exists(Path.of("/usr/include/infiniband/verbs.h"))
            && Files.exists(Path.of("/usr/include/rdma/rdma_cma.h")),
        "not compared: no header files of rdma-core (Debian: libibverbs-dev librdmacm-dev)");
    assumeTrue(Files.exists(Path.of("/usr/bin/gcc")), "not compared: no C compiler (Debian: gcc)");
    offset("ibv_context", "ops.poll_cq", Structs.Context.POLL_CQ);
    offset("ibv_context", "ops.req_notify_cq", Structs.Context.REQ_NOTIFY_CQ);
    offset("ibv_context", "ops.post_srq_recv", Structs.Context.POST_SRQ_RECV);
    offset("ibv_context", "ops.post_send", Structs.Context.POST_SEND);
    offset("ibv_context", "async_fd", Structs.Context.ASYNC_FD);
    offset("ibv_context", "device", 0);
    fits("ibv_context", Structs.Context.USED_BYTES);

    offset("ibv_send_wr", "wr_id", Structs.SendRequest.WR_ID);
    offset("ibv_send_wr", "sg_list", Structs.SendRequest.SG_LIST);
    offset("ibv_send_wr", "num_sge", Structs.SendRequest.NUM_SGE);
    offset("ibv_send_wr", "opcode", Structs.SendRequest.OPCODE);
    offset("ibv_send_wr", "send_flags", Structs.SendRequest.SEND_FLAGS);
    offset("ibv_send_wr", "imm_data", Structs.SendRequest.IMM_DATA);
    size("ibv_send_wr", Structs.SendRequest.BYTES);
    ours.put("IBV_WR_RDMA_WRITE", Structs.SendRequest.RDMA_WRITE);
    offset("ibv_send_wr", "wr.rdma.remote_addr", Structs.SendRequest.REMOTE_ADDR);
    offset("ibv_send_wr", "wr.rdma.rkey", Structs.SendRequest.RKEY);
    ours.put("IBV_WR_RDMA_READ", Structs.SendRequest.RDMA_READ);
    ours.put("IBV_WR_SEND_WITH_IMM", Structs.SendRequest.SEND_WITH_IMM);
    ours.put("IBV_SEND_SIGNALED", RdmaConnection.SIGNALLED);
    ours.put("IBV_SEND_INLINE", RdmaConnection.INLINE);

    offset("ibv_recv_wr", "wr_id", Structs.ReceiveRequest.WR_ID);
    offset("ibv_recv_wr", "sg_list", Structs.ReceiveRequest.SG_LIST);
    offset("ibv_recv_wr", "num_sge", Structs.ReceiveRequest.NUM_SGE);
    size("ibv_recv_wr", Structs.ReceiveRequest.BYTES);

    offset("ibv_sge", "addr", Structs.Piece.ADDR);
    offset("ibv_sge", "length", Structs.Piece.LENGTH);
    offset("ibv_sge", "lkey", Structs.Piece.LKEY);
    size("ibv_sge", Structs.Piece.BYTES);

    offset("ibv_wc", "wr_id", Structs.Completion.WR_ID);
    offset("ibv_wc", "status", Structs.Completion.STATUS);
    offset("ibv_wc", "byte_len", Structs.Completion.BYTE_LEN);
    offset("ibv_wc", "imm_data", Structs.Completion.IMM_DATA);
    offset("ibv_wc", "qp_num", Structs.Completion.QP_NUM);
    size("ibv_wc", Structs.Completion.BYTES);
    ours.put("IBV_WC_SUCCESS", 0);

    offset("ibv_qp_init_attr", "send_cq", Structs.QueuePairAttributes.SEND_CQ);
    offset("ibv_qp_init_attr", "recv_cq", Structs.QueuePairAttributes.RECV_CQ);
    offset("ibv_qp_init_attr", "srq", Structs.QueuePairAttributes.SRQ);
    offset("ibv_qp_init_attr", "cap.max_send_wr", Structs.QueuePairAttributes.MAX_SEND_WR);
    offset("ibv_qp_init_attr", "cap.max_send_sge", Structs.QueuePairAttributes.MAX_SEND_SGE);
    offset("ibv_qp_init_attr", "cap.max_inline_data", Structs.QueuePairAttributes.MAX_INLINE_DATA);
    offset("ibv_qp_init_attr", "qp_type", Structs.QueuePairAttributes.QP_TYPE);
    size("ibv_qp_init_attr", Structs.QueuePairAttributes.BYTES);
    ours.put("IBV_QPT_RC", Structs.QueuePairAttributes.RELIABLE);

    offset("ibv_qp_attr", "qp_state", Structs.QueuePairState.QP_STATE);
    size("ibv_qp_attr", Structs.QueuePairState.BYTES);
    ours.put("IBV_QP_STATE", Structs.QueuePairState.MASK_STATE);
    ours.put("IBV_QPS_ERR", Structs.QueuePairState.ERROR);

    offset("ibv_srq_init_attr", "attr.max_wr", Structs.ReceiveQueueAttributes.MAX_WR);
    offset("ibv_srq_init_attr", "attr.max_sge", Structs.ReceiveQueueAttributes.MAX_SGE);
    size("ibv_srq_init_attr", Structs.ReceiveQueueAttributes.BYTES);

    offset("ibv_device_attr", "max_qp_wr", Structs.DeviceAttributes.MAX_QP_WR);
    offset("ibv_device_attr", "max_cqe", Structs.DeviceAttributes.MAX_CQE);
    offset("ibv_device_attr", "max_srq_wr", Structs.DeviceAttributes.MAX_SRQ_WR);
    size("ibv_device_attr", Structs.DeviceAttributes.BYTES);

    offset("ibv_port_attr", "active_mtu", Structs.PortAttributes.ACTIVE_MTU);
    offset("ibv_port_attr", "max_msg_sz", Structs.PortAttributes.MAX_MSG_SZ);
    ours.put("sizeof(struct ibv_port_attr) <= " + Structs.PortAttributes.BYTES, 1);
    ours.put("IBV_MTU_256", Integer.numberOfTrailingZeros(256 / Structs.PortAttributes.MTU_BASE));
    ours.put("IBV_MTU_4096", Integer.numberOfTrailingZeros(4096 / Structs.PortAttributes.MTU_BASE));

    offset("ibv_device", "name", Structs.Device.NAME);
    ours.put("sizeof(((struct ibv_device *) 0)->name)", Structs.Device.NAME_BYTES);
    offset("ibv_mr", "lkey", Structs.MemoryRegion.LKEY);
    offset("ibv_mr", "rkey", Structs.MemoryRegion.RKEY);
    fits("ibv_mr", Structs.MemoryRegion.USED_BYTES);
    offset("ibv_qp", "qp_num", Structs.QueuePair.QP_NUM);
    fits("ibv_qp", Structs.QueuePair.USED_BYTES);
    offset("ibv_comp_channel", "fd", Structs.CompletionChannel.FD);
    fits("ibv_comp_channel", Structs.CompletionChannel.USED_BYTES);
    offset("ibv_async_event", "element", Structs.AsyncEvent.ELEMENT);
    offset("ibv_async_event", "event_type", Structs.AsyncEvent.EVENT_TYPE);
    size("ibv_async_event", Structs.AsyncEvent.BYTES);
    ours.put("IBV_EVENT_DEVICE_FATAL", Structs.AsyncEvent.DEVICE_FATAL);
    ours.put("IBV_EVENT_PORT_ERR", Structs.AsyncEvent.PORT_ERR);
    ours.put("IBV_ACCESS_LOCAL_WRITE", Verbs.LOCAL_WRITE);
    ours.put("IBV_ACCESS_REMOTE_READ", Verbs.REMOTE_READ);

    offset("rdma_event_channel", "fd", Structs.EventChannel.FD);
    offset("rdma_cm_id", "verbs", Structs.CmId.VERBS);
    offset("rdma_cm_id", "qp", Structs.CmId.QP);
    offset("rdma_cm_id", "port_num", Structs.CmId.PORT_NUM);
    fits("rdma_cm_id", Structs.CmId.USED_BYTES);
    offset("rdma_cm_event", "id", Structs.CmEvent.ID);
    offset("rdma_cm_event", "event", Structs.CmEvent.EVENT);
    offset("rdma_cm_event", "status", Structs.CmEvent.STATUS);
    offset("rdma_cm_event", "param.conn.private_data", Structs.CmEvent.PRIVATE_DATA);
    offset("rdma_cm_event", "param.conn.private_data_len", Structs.CmEvent.PRIVATE_DATA_LEN);
    fits("rdma_cm_event", Structs.CmEvent.USED_BYTES);
    ours.put("RDMA_CM_EVENT_ADDR_RESOLVED", Structs.CmEvent.ADDR_RESOLVED);
    ours.put("RDMA_CM_EVENT_ADDR_ERROR", Structs.CmEvent.ADDR_ERROR);
    ours.put("RDMA_CM_EVENT_ROUTE_RESOLVED", Structs.CmEvent.ROUTE_RESOLVED);
    ours.put("RDMA_CM_EVENT_ROUTE_ERROR", Structs.CmEvent.ROUTE_ERROR);
    ours.put("RDMA_CM_EVENT_CONNECT_REQUEST", Structs.CmEvent.CONNECT_REQUEST);
    ours.put("RDMA_CM_EVENT_CONNECT_ERROR", Structs.CmEvent.CONNECT_ERROR);
    ours.put("RDMA_CM_EVENT_UNREACHABLE", Structs.CmEvent.UNREACHABLE);
    ours.put("RDMA_CM_EVENT_REJECTED", Structs.CmEvent.REJECTED);
    ours.put("RDMA_CM_EVENT_ESTABLISHED", Structs.CmEvent.ESTABLISHED);
    ours.put("RDMA_CM_EVENT_DISCONNECTED", Structs.CmEvent.DISCONNECTED);
    ours.put("RDMA_CM_EVENT_DEVICE_REMOVAL", Structs.CmEvent.DEVICE_REMOVAL);
    offset("rdma_conn_param", "private_data", Structs.ConnectionParameters.PRIVATE_DATA);
    offset("rdma_conn_param", "private_data_len", Structs.ConnectionParameters.PRIVATE_DATA_LEN);
    offset(
        "rdma_conn_param", "responder_resources", Structs.ConnectionParameters.RESPONDER_RESOURCES);
    offset("rdma_conn_param", "initiator_depth", Structs.ConnectionParameters.INITIATOR_DEPTH);
    ours.put("RDMA_MAX_RESP_RES", Structs.ConnectionParameters.MOST_READS & 0xff);
    ours.put("RDMA_MAX_INIT_DEPTH", Structs.ConnectionParameters.MOST_READS & 0xff);
    offset("rdma_conn_param", "retry_count", Structs.ConnectionParameters.RETRY_COUNT);
    offset("rdma_conn_param", "rnr_retry_count", Structs.ConnectionParameters.RNR_RETRY_COUNT);
    size("rdma_conn_param", Structs.ConnectionParameters.BYTES);
    ours.put("RDMA_PS_TCP", Structs.PORT_SPACE_TCP);

    offset("sockaddr_in", "sin_family", Structs.SocketAddress.FAMILY);
    offset("sockaddr_in", "sin_port", Structs.SocketAddress.PORT);
    offset("sockaddr_in", "sin_addr", Structs.SocketAddress.ADDRESS_4);
    offset("sockaddr_in6", "sin6_addr", Structs.SocketAddress.ADDRESS_6);
    offset("sockaddr_in6", "sin6_scope_id", Structs.SocketAddress.SCOPE_6);
    size("sockaddr_in6", Structs.SocketAddress.BYTES);
    ours.put("AF_INET", (int) Structs.SocketAddress.INET);
    ours.put("AF_INET6", (int) Structs.SocketAddress.INET6);
    ours.put("EIO", Native.EIO);
    ours.put("EAGAIN", Native.EAGAIN);
    ours.put("ENOMEM", Native.ENOMEM);

    assertThat(compiled()).isEqualTo(ours);
  }

  private Map<String, Integer> compiled() throws IOException, InterruptedException {
    StringBuilder c =
        new StringBuilder(
            """
            #include <errno.h>
            #include <stddef.h>
            #include <stdio.h>
            #include <infiniband/verbs.h>
            #include <rdma/rdma_cma.h>
            int main(void) {
            """);
    for (String expression : ours.keySet()) {
      c.append("  printf(\"%s=%d\\n\", \"")
          .append(expression)
          .append("\", (int) (")
          .append(expression)
          .append("));\n");
    }
    Path source = directory.resolve("structs.c");
    Files.writeString(source, c.append("}\n"));
    Path program = directory.resolve("structs");
    run("/usr/bin/gcc", "-o", program.toString(), source.toString());
    Map<String, Integer> values = new LinkedHashMap<>();
    for (String line : run(program.toString()).lines().toList()) {
      int equals = line.lastIndexOf('=');
      values.put(line.substring(0, equals), Integer.valueOf(line.substring(equals + 1)));
    }
    return values;
  }

  private String run(String... command) throws IOException, InterruptedException {
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(out);
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }
}
