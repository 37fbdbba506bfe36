/* What a long message within a node costs at the least on this machine, without any library: pairs of processes, each of
 * which exchanges a buffer, once each way per round. Data bounce (each side sends what it received) or are constant; they go
 *
 *   ring      in pieces of 16 KiB through a ring of 2 MiB in shared memory: two copies, at the same time on two cores
 *   frame     through the same ring, but told at once (or by the MiB): the receiver begins when the sender is done
 *   asked     as by the ring, but the receiver is asked first, as every message that has a choice
 *   read      by process_vm_readv of the receiver: one copy
 *   turns     one by the ring, the next one read
 *   lone      one that is read after 63 by the ring: nothing else is timed
 *
 *   cc -O2 -o copies copies.c && ./copies [-p PAIRS] [SECONDS [BYTES...]]
 *
 * Prints half of a round trip in us of the first pair, the median (and with more processes than cores the best and worst
 * tenth) of the batches of a few rounds, in which the ways take turns: ways that are compared have seen the same machine.
 * One pair has a core for each of its two processes and spins. Where there are more processes than cores none is bound, and
 * each lets another one run before each poll, as Open MPI does then, and FMI; all pairs go the same way at the same time.
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

enum { RING = 2 << 20, PIECE = 16 << 10, FRAME = 1 << 20, READ_PIECE = 512 << 10, BATCHES = 1 << 16, LONE = 64, MOST_PAIRS = 32 };
enum way { BY_RING, BY_FRAME, ASKED, READ, TURNS, LONE_READ, WAYS };
static const char *const names[] = {"ring", "frame", "asked", "read", "turns", "lone"};

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
  pid_t process[2];
} pair;

typedef struct {
  _Alignas(128) atomic_long arrived;
  _Alignas(128) atomic_int over;
  pair pairs[MOST_PAIRS];
} meeting;

static meeting *all;
static pair *node;
static int rank, processes, crowded;
static long meetings;
static long asked[2], answered[2]; /* messages of this side, and of the other one */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void until(atomic_long *number, long least) {
  for (long polls = 1; atomic_load_explicit(number, memory_order_acquire) < least; polls++) {
    if (crowded || polls % 20000 == 0) sched_yield();
    else __builtin_ia32_pause();
  }
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void meet(void) {
  atomic_fetch_add(&all->arrived, 1);
  until(&all->arrived, ++meetings * processes);
}

/* Where a piece that begins at a number of bytes lies whole in the ring: there, or at the ring's next start. */
static long fitting(long at, long piece) {
  return at % RING + piece > RING ? at + RING - at % RING : at;
}

static void put(direction *d, const char *from, long bytes, long piece) {
  long put = atomic_load_explicit(&d->put, memory_order_relaxed);
  for (long done = 0, n; done < bytes; done += n) {
    n = bytes - done < piece ? bytes - done : piece;
    put = fitting(put, piece);
    until(&d->taken, put + piece - RING);
    memcpy(d->data + put % RING, from + done, n);
    put += piece;
    atomic_store_explicit(&d->put, put, memory_order_release);
  }
}

static void take(direction *d, char *to, long bytes, long piece) {
  long taken = atomic_load_explicit(&d->taken, memory_order_relaxed);
  for (long done = 0, n; done < bytes; done += n) {
    n = bytes - done < piece ? bytes - done : piece;
    taken = fitting(taken, piece);
    until(&d->put, taken + piece);
    memcpy(to + done, d->data + taken % RING, n);
    taken += piece;
    atomic_store_explicit(&d->taken, taken, memory_order_release);
  }
}

static long piece_of(enum way way, long bytes) {
  return way != BY_FRAME ? PIECE : bytes < FRAME ? bytes : FRAME;
}

static int is_asked(enum way way) {
  return way == ASKED || way == READ;
}

static void send_message(enum way way, char *from, long bytes) {
  direction *d = &node->to[1 - rank];
  if (is_asked(way)) {
    d->address = from;
    atomic_store_explicit(&d->asks, ++asked[0], memory_order_release);
    until(&d->answers, asked[0]);
  }
  if (way != READ) put(d, from, bytes, piece_of(way, bytes));
}

static void receive_message(enum way way, char *to, long bytes) {
  direction *d = &node->to[rank];
  if (is_asked(way)) {
    until(&d->asks, ++answered[0]);
    for (long done = 0, n; way == READ && done < bytes; done += n) {
      n = bytes - done < READ_PIECE ? bytes - done : READ_PIECE;
      struct iovec own = {to + done, n}, others = {d->address + done, n};
      if (process_vm_readv(node->process[1 - rank], &own, 1, &others, 1, 0) != n) fail("process_vm_readv");
    }
    atomic_store_explicit(&d->answers, answered[0], memory_order_release);
  }
  if (way != READ) take(d, to, bytes, piece_of(way, bytes));
}

/* Rounds; returns half of one in us. */
static double batch(enum way ways, int constant, char *out, char *in, long bytes, int rounds) {
  meet();
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

static double *sorted(double *times, int n) {
  qsort(times, n, sizeof *times, ascending);
  return times;
}

/* One process's part; the first one of all decides when it is enough, and prints. */
static void measure(int first, long bytes, int constant, double seconds) {
  static double times[WAYS][BATCHES];
  int n = 0, rounds = bytes >= 1 << 20 ? 8 : 32;
  char *out = aligned_alloc(4096, bytes), *in = aligned_alloc(4096, bytes);
  memset(out, 1, bytes);
  memset(in, 2, bytes);
  if (first) atomic_store(&all->over, 0);
  for (double begin = now(); n < BATCHES;) {
    for (enum way way = 0; way < LONE_READ; way++) {
      batch(way, constant, out, in, bytes, rounds / 4); /* not timed: what the way before has left in the caches */
      times[way][n] = batch(way, constant, out, in, bytes, rounds);
    }
    batch(BY_RING, constant, out, in, bytes, LONE - 1);
    times[LONE_READ][n] = batch(READ, constant, out, in, bytes, 1);
    n++;
    if (first && now() - begin > seconds * 1e6) atomic_store(&all->over, 1);
    meet();
    if (atomic_load(&all->over)) break;
  }
  if (first) {
    printf("%-9s %8ld", constant ? "constant" : "bounce", bytes);
    for (enum way way = 0; way < WAYS; way++) {
      double *each = sorted(times[way], n);
      printf("  %s %8.2f", names[way], each[n / 2]);
      if (crowded) printf(" (%.1f, %.1f)", each[n / 10], each[n - 1 - n / 10]);
    }
    printf("  (%d)\n", n);
    fflush(stdout);
  }
  meet();
  free(out);
  free(in);
}

static void bind(void) {
  cpu_set_t cores, one;
  sched_getaffinity(0, sizeof cores, &cores);
  int core = 0;
  for (int left = rank; core < CPU_SETSIZE && (!CPU_ISSET(core, &cores) || left-- > 0);) core++;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (core == CPU_SETSIZE || sched_setaffinity(0, sizeof one, &one)) fail("a core for each of the two is needed");
}

int main(int argc, char **argv) {
  static const long usual[] = {16 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20, 8 << 20};
  int pairs = 1;
  for (int option; (option = getopt(argc, argv, "p:")) != -1;) {
    if (option != 'p' || (pairs = atoi(optarg)) < 1 || pairs > MOST_PAIRS) {
      fprintf(stderr, "usage: copies [-p PAIRS] [SECONDS [BYTES...]], with 1 to %d pairs\n", MOST_PAIRS);
      return 64;
    }
  }
  argc -= optind;
  argv += optind;
  double seconds = argc > 0 ? atof(argv[0]) : 0.5;
  int sizes = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof usual[0]), failed = 0;
  processes = 2 * pairs;
  crowded = processes > sysconf(_SC_NPROCESSORS_ONLN);
  all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) fail("mmap");
  for (int i = 0; i < processes; i++) {
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      kill(0, SIGTERM);
    }
    if (child > 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    node = &all->pairs[i / 2];
    rank = i % 2;
    node->process[rank] = getpid();
    if (!crowded) bind();
    meet();
    prctl(PR_SET_PTRACER, node->process[1 - rank]);
    meet();
    for (int k = 0; k < sizes; k++) {
      long bytes = argc > 1 ? atol(argv[k + 1]) : usual[k];
      measure(i == 0, bytes, 0, seconds);
      measure(i == 0, bytes, 1, seconds);
    }
    exit(0);
  }
  for (int status; wait(&status) > 0;) failed |= status != 0;
  return failed;
}
