/* MPI's side of bench/peers/run, the twin of org.fmi.bench.peers.Peers: the same operations, measured
 * in the same way. What is changed in one is to be changed in the other; Peers tells how it measures.
 *
 *   mpicc -O2 -o peers peers.c && mpirun -n 2 ./peers WARM_UP_SECONDS SECONDS OPERATION:BYTES...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 20, LEAST_BATCHES = 5, WINDOW = 64, PENDING = 10000, TAG = 1, PENDING_TAG = 1000, ALL = -1 };
#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

static int rank, ranks;
static double warm_up_seconds, batch_seconds;
static double *out, *in, answer;

/* Of two ranks that talk to each other, the even one begins. */
static int begins(void) { return rank % 2 == 0; }
static int partner(void) { return rank ^ 1; }

static void ping_pong(int count, long n) {
  for (long i = 0; i < n; i++) {
    if (begins()) {
      MPI_Send(out, count, MPI_DOUBLE, partner(), TAG, WORLD);
      MPI_Recv(in, count, MPI_DOUBLE, partner(), TAG, WORLD, NO_STATUS);
    } else {
      MPI_Recv(in, count, MPI_DOUBLE, partner(), TAG, WORLD, NO_STATUS);
      MPI_Send(in, count, MPI_DOUBLE, partner(), TAG, WORLD);
    }
  }
}

/* Each side sends a buffer that does not change: the shape of OSU's osu_latency. */
static void constants(int count, long n) {
  for (long i = 0; i < n; i++) {
    if (begins()) {
      MPI_Send(out, count, MPI_DOUBLE, partner(), TAG, WORLD);
      MPI_Recv(in, count, MPI_DOUBLE, partner(), TAG, WORLD, NO_STATUS);
    } else {
      MPI_Recv(in, count, MPI_DOUBLE, partner(), TAG, WORLD, NO_STATUS);
      MPI_Send(out, count, MPI_DOUBLE, partner(), TAG, WORLD);
    }
  }
}

/* The same, in what is made pending around it. */
static void amid_pending(int count, long n) { ping_pong(count, n); }

static void windows(int count, long n) {
  MPI_Request requests[WINDOW];
  for (long i = 0; i < n; i++) {
    for (int w = 0; w < WINDOW; w++) {
      if (begins()) MPI_Isend(out + w * count, count, MPI_DOUBLE, partner(), TAG, WORLD, &requests[w]);
      else MPI_Irecv(in + w * count, count, MPI_DOUBLE, partner(), TAG, WORLD, &requests[w]);
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (begins()) MPI_Recv(&answer, 1, MPI_DOUBLE, partner(), TAG, WORLD, NO_STATUS);
    else MPI_Send(&answer, 1, MPI_DOUBLE, partner(), TAG, WORLD);
  }
}

/* Windows in both directions at once. */
static void exchanges(int count, long n) {
  MPI_Request requests[2 * WINDOW];
  for (long i = 0; i < n; i++) {
    for (int w = 0; w < WINDOW; w++) MPI_Irecv(in + w * count, count, MPI_DOUBLE, partner(), TAG, WORLD, &requests[w]);
    for (int w = 0; w < WINDOW; w++) MPI_Isend(out + w * count, count, MPI_DOUBLE, partner(), TAG, WORLD, &requests[WINDOW + w]);
    MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
  }
}

static void barriers(int count, long n) {
  (void)count;
  for (long i = 0; i < n; i++) MPI_Barrier(WORLD);
}

static void all_reduces(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, WORLD);
}

static void bcasts(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Bcast(rank == 0 ? out : in, count, MPI_DOUBLE, 0, WORLD);
}

static void reduces(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, 0, WORLD);
}

static void reduce_scatters(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Reduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, WORLD);
}

static void gathers(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, WORLD);
}

static void scatters(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Scatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, WORLD);
}

static void all_gathers(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, WORLD);
}

static void all_to_alls(int count, long n) {
  for (long i = 0; i < n; i++) MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, WORLD);
}

/* What element i of the receive buffer must be, when rank r sends r + i in element i. */
static double same(int count, int i) { return (void)count, i; }
static double first_ones(int count, int i) { return (void)count, rank - rank % 2 + i; }
static double others(int count, int i) { return (void)count, partner() + i; }
static double sum(int count, int i) { return (void)count, ranks * (i + (ranks - 1) / 2.0); }
static double sum_of_own(int count, int i) { return sum(count, rank * count + i); }
static double gathered(int count, int i) { return i / count + i % count; }
static double scattered(int count, int i) { return rank * count + i; }
static double exchanged(int count, int i) { return i / count + rank * count + i % count; }

typedef struct {
  const char *name;
  void (*loop)(int count, long n);
  double (*expected)(int count, int i);
  int at_root, elsewhere; /* blocks of count elements that are received there */
} operation;

static const operation operations[] = {
  {"pingpong", ping_pong, first_ones, 1, 1},
  {"pingpong-direct", ping_pong, first_ones, 1, 1}, /* C knows no other memory */
  {"pingpong-mixed", ping_pong, first_ones, 1, 1},
  {"constant", constants, others, 1, 1},
  {"constant-direct", constants, others, 1, 1},
  {"constant-mixed", constants, others, 1, 1},
  {"pending", amid_pending, same, 1, 1},
  {"rate", windows, first_ones, 0, WINDOW},
  {"rate-direct", windows, first_ones, 0, WINDOW},
  {"rate-mixed", windows, first_ones, 0, WINDOW},
  {"both", exchanges, others, WINDOW, WINDOW},
  {"both-direct", exchanges, others, WINDOW, WINDOW},
  {"both-mixed", exchanges, others, WINDOW, WINDOW},
  {"barrier", barriers, same, 0, 0},
  {"allreduce", all_reduces, sum, 1, 1},
  {"bcast", bcasts, same, 0, 1},
  {"reduce", reduces, sum, 1, 0},
  {"reducescatter", reduce_scatters, sum_of_own, 1, 1},
  {"gather", gathers, gathered, ALL, 0},
  {"scatter", scatters, scattered, 1, 1},
  {"allgather", all_gathers, gathered, ALL, ALL},
  {"alltoall", all_to_alls, exchanged, ALL, ALL},
};

static int is_round_trip(const operation *op) {
  return op->loop == ping_pong || op->loop == constants || op->loop == amid_pending;
}

static int is_rate(const operation *op) { return op->loop == windows || op->loop == exchanges; }

/* Between pairs of ranks, all at once. */
static int is_pairs(const operation *op) { return is_rate(op) || (is_round_trip(op) && op->loop != amid_pending); }

static void fail(const char *what, const char *of) {
  fprintf(stderr, "peers: %s: %s\n", of, what);
  MPI_Abort(WORLD, 1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void check(const operation *op, int count) {
  int blocks = (is_pairs(op) ? begins() : rank == 0) ? op->at_root : op->elsewhere;
  int elements = count * (blocks == ALL ? ranks : blocks);
  for (int i = 0; i < elements; i++) in[i] = -1;
  op->loop(count, 1);
  for (int i = 0; i < elements; i++) {
    if (in[i] != op->expected(count, i)) fail("wrong data were received", op->name);
  }
}

/* The seconds of the slowest rank, the same number everywhere. */
static double batch(const operation *op, int count, long n) {
  double mine, slowest;
  MPI_Barrier(WORLD);
  mine = now();
  op->loop(count, n);
  mine = now() - mine;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, WORLD);
  return slowest;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The seconds of the fastest call, on average over a batch. */
static double warm_up(const operation *op, int count) {
  double fastest = 1e9, spent = 0;
  long n = 1;
  while (spent < warm_up_seconds) {
    double seconds = batch(op, count, n);
    spent += seconds;
    if (seconds / n < fastest) fastest = seconds / n;
    if (seconds < batch_seconds) n *= 2;
  }
  return fastest;
}

static double median_seconds(const operation *op, int count) {
  double per_call[BATCHES], spent = 0;
  int batches = 0;
  long n = batch_seconds / warm_up(op, count);
  if (n < 1) n = 1;
  while (batches < BATCHES && (batches < LEAST_BATCHES || spent < 10 * BATCHES * batch_seconds)) {
    double seconds = batch(op, count, n);
    spent += seconds;
    per_call[batches++] = seconds / n;
  }
  qsort(per_call, batches, sizeof per_call[0], ascending);
  return (per_call[(batches - 1) / 2] + per_call[batches / 2]) / 2;
}

static double pending_out[2 * PENDING], pending_in[2 * PENDING];
static MPI_Request pending[4 * PENDING], *next_pending;

static void receive_pending(int from) {
  for (int i = from; i < from + PENDING; i++)
    MPI_Irecv(&pending_in[i], 1, MPI_DOUBLE, 1 - rank, PENDING_TAG + i, WORLD, next_pending++);
}

static void send_pending(int from) {
  for (int i = from; i < from + PENDING; i++)
    MPI_Isend(&pending_out[i], 1, MPI_DOUBLE, 1 - rank, PENDING_TAG + i, WORLD, next_pending++);
}

/* Messages that are not received, and receives that nothing is sent to. */
static void make_pending(void) {
  next_pending = pending;
  for (int i = 0; i < 2 * PENDING; i++) pending_out[i] = rank + i;
  receive_pending(0);
  send_pending(PENDING);
}

static void match_pending(void) {
  receive_pending(PENDING);
  send_pending(0);
  MPI_Waitall(4 * PENDING, pending, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2 * PENDING; i++) {
    if (pending_in[i] != 1 - rank + i) fail("wrong data were received", "a pending receive");
  }
}

static void measure(const operation *op, int count) {
  double seconds;
  check(op, count);
  seconds = median_seconds(op, count);
  check(op, count);
  if (rank != 0) return;
  printf("%s,%d,%d,%.4f\n", op->name, ranks, count * (int)sizeof(double),
      is_rate(op) ? WINDOW / seconds : is_round_trip(op) ? seconds * 1e6 / 2 : seconds * 1e6);
  fflush(stdout);
}

static const operation *named(const char *point) {
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
    size_t length = strlen(operations[i].name);
    if (!strncmp(point, operations[i].name, length) && point[length] == ':') return &operations[i];
  }
  return NULL;
}

static int bytes_of(const char *point) { return atoi(strchr(point, ':') + 1); }

/* All points, OPERATION:BYTES. */
static void all(char **points, void (*work)(const operation *op, int count)) {
  for (; *points; points++) {
    const operation *op = named(*points);
    if (op->loop == amid_pending) make_pending();
    work(op, bytes_of(*points) / (int)sizeof(double));
    if (op->loop == amid_pending) match_pending();
  }
}

static void warm(const operation *op, int count) { warm_up(op, count); }

int main(int argc, char **argv) {
  size_t elements = WINDOW;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  if (argc < 4) fail("WARM_UP_SECONDS SECONDS OPERATION:BYTES...", "usage");
  warm_up_seconds = atof(argv[1]);
  batch_seconds = atof(argv[2]) / BATCHES;
  for (int a = 3; a < argc; a++) {
    const operation *op = named(argv[a]);
    if (!op) fail("no such operation", argv[a]);
    if (ranks != 2 && op->loop == amid_pending) fail("needs two ranks", argv[a]);
    if (ranks % 2 != 0 && is_pairs(op)) fail("needs pairs of ranks", argv[a]);
    size_t needed = (size_t)bytes_of(argv[a]) / sizeof(double) * (is_rate(op) ? WINDOW : ranks);
    if (needed > elements) elements = needed;
  }
  out = malloc(elements * sizeof(double));
  in = malloc(elements * sizeof(double));
  if (!out || !in) fail("not enough memory", "buffers");
  for (size_t i = 0; i < elements; i++) out[i] = (double)rank + i;
  all(argv + 3, warm);
  all(argv + 3, measure);
  MPI_Finalize();
  return 0;
}
