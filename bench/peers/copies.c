/* What a long message within a node costs at the least on this machine, without any library: two processes on two cores,
 * which exchange a buffer, once each way per round. Data bounce (each side sends what it received) or are constant; they go
 *
 *   ring      in pieces of 16 KiB through a ring of 2 MiB in shared memory: two copies, at the same time on two cores
 *   asked     the same, but the receiver is asked first, as every message that has a choice
 *   read      by process_vm_readv of the receiver: one copy
 *   turns     one by the ring, the next one read
 *   lone      one that is read after 63 by the ring: nothing else is timed
 *
 *   cc -O2 -o copies copies.c && ./copies [SECONDS [BYTES...]]
 *
 * Prints half of a round trip in us, the median of the batches of a few rounds, in which the ways take turns: ways that are
 * compared have seen the same machine.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RING = 2 << 20, PIECE = 16 << 10, READ_PIECE = 512 << 10, BATCHES = 1 << 16, LONE = 64 };
enum way { BY_RING, ASKED, READ, TURNS, LONE_READ, WAYS };
static const char *const names[] = {"ring", "asked", "read", "turns", "lone"};

/* One direction; what different sides write lies in lines of its own. */
typedef struct {
  _Alignas(128) atomic_long put;      /* bytes, by the sender */
  _Alignas(128) atomic_long taken;    /* bytes, by the receiver */
  _Alignas(128) atomic_long asks;     /* messages, by the sender; then where it lies */
  char *address;
  _Alignas(128) atomic_long answers;  /* messages, by the receiver */
  _Alignas(4096) char data[RING];
} direction;

typedef struct {
  direction to[2];
  _Alignas(128) atomic_int over;
  pid_t process[2];
} shared;

static shared *node;
static int rank;
static long asked[2], answered[2]; /* messages of this side, and of the other one */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void until(atomic_long *number, long least) {
  for (long polls = 1; atomic_load_explicit(number, memory_order_acquire) < least; polls++) {
    __builtin_ia32_pause();
    if (polls % 20000 == 0) sched_yield();
  }
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void put(direction *d, const char *from, long bytes) {
  long put = atomic_load_explicit(&d->put, memory_order_relaxed);
  for (long done = 0, n; done < bytes; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    until(&d->taken, put + PIECE - RING);
    memcpy(d->data + put % RING, from + done, n);
    put += PIECE;
    atomic_store_explicit(&d->put, put, memory_order_release);
  }
}

static void take(direction *d, char *to, long bytes) {
  long taken = atomic_load_explicit(&d->taken, memory_order_relaxed);
  for (long done = 0, n; done < bytes; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    until(&d->put, taken + PIECE);
    memcpy(to + done, d->data + taken % RING, n);
    taken += PIECE;
    atomic_store_explicit(&d->taken, taken, memory_order_release);
  }
}

static void send_message(enum way way, char *from, long bytes) {
  direction *d = &node->to[1 - rank];
  if (way != BY_RING) {
    d->address = from;
    atomic_store_explicit(&d->asks, ++asked[0], memory_order_release);
    until(&d->answers, asked[0]);
  }
  if (way != READ) put(d, from, bytes);
}

static void receive_message(enum way way, char *to, long bytes) {
  direction *d = &node->to[rank];
  if (way == BY_RING) {
    take(d, to, bytes);
    return;
  }
  until(&d->asks, ++answered[0]);
  for (long done = 0, n; way == READ && done < bytes; done += n) {
    n = bytes - done < READ_PIECE ? bytes - done : READ_PIECE;
    struct iovec own = {to + done, n}, others = {d->address + done, n};
    if (process_vm_readv(node->process[1 - rank], &own, 1, &others, 1, 0) != n) fail("process_vm_readv");
  }
  atomic_store_explicit(&d->answers, answered[0], memory_order_release);
  if (way != READ) take(d, to, bytes);
}

/* Rounds; returns half of one in us. */
static double batch(enum way ways, int constant, char *out, char *in, long bytes, int rounds) {
  double begin = now();
  for (int i = 0; i < rounds; i++) {
    enum way way = ways != TURNS ? ways : i % 2 ? READ : BY_RING;
    if (rank == 0) {
      send_message(way, out, bytes);
      receive_message(way, in, bytes);
    } else {
      receive_message(way, in, bytes);
      send_message(way, constant ? out : in, bytes);
    }
  }
  return (now() - begin) / rounds / 2;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times, int n) {
  qsort(times, n, sizeof *times, ascending);
  return n ? times[n / 2] : 0;
}

static void measure(long bytes, int constant, double seconds) {
  static double times[WAYS][BATCHES];
  int n = 0, rounds = bytes >= 1 << 20 ? 8 : 32, over = 0;
  char *out = aligned_alloc(4096, bytes), *in = aligned_alloc(4096, bytes);
  memset(out, 1, bytes);
  memset(in, 2, bytes);
  for (double begin = now(); !over; n++) {
    for (enum way way = 0; way < LONE_READ; way++) {
      batch(way, constant, out, in, bytes, rounds / 4); /* not timed: what the way before has left in the caches */
      times[way][n] = batch(way, constant, out, in, bytes, rounds);
    }
    batch(BY_RING, constant, out, in, bytes, LONE - 1);
    times[LONE_READ][n] = batch(READ, constant, out, in, bytes, 1);
    /* Rank 0 decides; a byte by ring tells. */
    char last = now() - begin > seconds * 1e6 || n + 1 == BATCHES;
    if (rank == 0) put(&node->to[1], &last, 1);
    else take(&node->to[1], &last, 1);
    over = last;
  }
  if (rank == 0) {
    printf("%-9s %8ld", constant ? "constant" : "bounce", bytes);
    for (enum way way = 0; way < WAYS; way++) printf("  %s %8.2f", names[way], median(times[way], n));
    printf("  (%d)\n", n);
    fflush(stdout);
  }
  free(out);
  free(in);
}

int main(int argc, char **argv) {
  static const long usual[] = {16 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20, 8 << 20};
  double seconds = argc > 1 ? atof(argv[1]) : 0.5;
  int sizes = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof usual[0]), status = 0;
  node = mmap(NULL, sizeof *node, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (node == MAP_FAILED) fail("mmap");
  pid_t parent = getpid(), child = fork();
  if (child < 0) fail("fork");
  rank = child == 0;
  if (rank == 1) prctl(PR_SET_PDEATHSIG, SIGKILL);
  node->process[0] = parent;
  node->process[1] = child == 0 ? getpid() : child;
  prctl(PR_SET_PTRACER, node->process[1 - rank]);
  cpu_set_t cores, one;
  sched_getaffinity(0, sizeof cores, &cores);
  int core = 0;
  for (int left = rank; core < CPU_SETSIZE && (!CPU_ISSET(core, &cores) || left-- > 0);) core++;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (core == CPU_SETSIZE || sched_setaffinity(0, sizeof one, &one)) fail("a core for each of the two is needed");
  for (int i = 0; i < sizes; i++) {
    long bytes = argc > 2 ? atol(argv[i + 2]) : usual[i];
    measure(bytes, 0, seconds);
    measure(bytes, 1, seconds);
  }
  if (rank == 0) waitpid(child, &status, 0);
  return status != 0;
}
