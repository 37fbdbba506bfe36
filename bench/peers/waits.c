/* What short messages within a node cost at the least on this machine, without any library: pairs of processes exchange
 * messages of 8 B through rings of 512 cells of 128 B in shared memory, one each way per round, or 64 one way and then an
 * answer. With more processes than cores it is the waiting that costs; a process that finds nothing
 *
 *   spins     polls again after a pause
 *   yields    lets another one run before each poll, as Open MPI does then, and FMI
 *   both      polls 20 times with a pause, then yields before each poll
 *   sleeps    polls 20 times with a pause, then sleeps in the kernel (futex) until it is woken
 *
 *   cc -O2 -o waits waits.c && ./waits [SECONDS [PAIRS...]]
 *
 * Prints half of a round trip in us, and of the windows the time per message in ns, medians of the batches, in which the
 * ways take turns. No process is bound to a core.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 512, CELL = 128, WINDOW = 64, PATIENCE = 20, ROUNDS = 500, BATCHES = 1 << 12, MOST_PAIRS = 32 };
enum way { SPINS, YIELDS, BOTH, SLEEPS, WAYS };
static const char *const names[] = {"spins", "yields", "both", "sleeps"};

typedef struct {
  _Alignas(CELL) atomic_uint number; /* of the message in this cell, from 1 on; written last */
  char data[8];
} cell;

/* One direction. Nobody has to be told what was read: an answer comes before the ring is full. */
typedef struct {
  _Alignas(CELL) atomic_uint asleep; /* the number that the receiver sleeps for, or 0 */
  cell cells[CELLS];
} direction;

typedef struct {
  direction to[2];
} shared;

/* Of all pairs, which go the same way at the same time. */
typedef struct {
  _Alignas(CELL) atomic_long arrived;
  _Alignas(CELL) atomic_int over;
  shared pairs[MOST_PAIRS];
} meeting;

static meeting *all;
static shared *pair;
static int rank, processes;
static long meetings;
static unsigned sent, received;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void put(enum way way, const char *data) {
  direction *d = &pair->to[1 - rank];
  cell *c = &d->cells[++sent % CELLS];
  memcpy(c->data, data, sizeof c->data);
  if (way != SLEEPS) {
    atomic_store_explicit(&c->number, sent, memory_order_release);
    return;
  }
  atomic_store(&c->number, sent);
  if (atomic_load(&d->asleep) == sent && atomic_exchange(&d->asleep, 0))
    syscall(SYS_futex, &c->number, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take(enum way way, char *data) {
  direction *d = &pair->to[rank];
  unsigned wanted = ++received, found;
  cell *c = &d->cells[wanted % CELLS];
  for (long polls = 1; (found = atomic_load_explicit(&c->number, memory_order_acquire)) != wanted; polls++) {
    if (way == SPINS || (way != YIELDS && polls <= PATIENCE)) {
      __builtin_ia32_pause();
    } else if (way == SLEEPS) {
      atomic_store(&d->asleep, wanted);
      if (atomic_load(&c->number) != wanted) syscall(SYS_futex, &c->number, FUTEX_WAIT, found, NULL, NULL, 0);
      atomic_store(&d->asleep, 0);
    } else {
      sched_yield();
    }
  }
  memcpy(data, c->data, sizeof c->data);
}

static void meet(void) {
  atomic_fetch_add(&all->arrived, 1);
  for (long here = ++meetings * processes; atomic_load(&all->arrived) < here;) sched_yield();
}

/* The time of a round in us. */
static double batch(enum way way, int window, int rounds) {
  meet();
  char out[8] = "message", in[8];
  double begin = now();
  for (int i = 0; i < rounds; i++) {
    if (rank == 0) {
      for (int w = 0; w < window; w++) put(way, out);
      take(way, in);
    } else {
      for (int w = 0; w < window; w++) take(way, in);
      put(way, out);
    }
  }
  return (now() - begin) / rounds;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times, int n) {
  qsort(times, n, sizeof *times, ascending);
  return n ? times[n / 2] : 0;
}

/* One pair's part. Where not each process has a core none spins: it would keep its partner from running. */
static void measure(int first, int pairs, int crowded, double seconds) {
  static double trips[WAYS][BATCHES], windows[WAYS][BATCHES];
  int n = 0;
  for (double begin = now(); n < BATCHES; n++) {
    int last = now() - begin > seconds * 1e6;
    for (enum way way = crowded ? YIELDS : SPINS; way < WAYS; way++) {
      batch(way, 1, ROUNDS / 4); /* not timed */
      trips[way][n] = batch(way, 1, ROUNDS) / 2;
      windows[way][n] = batch(way, WINDOW, ROUNDS / 8) / WINDOW * 1e3;
    }
    if (rank == 0 && first) atomic_store(&all->over, last);
    meet();
    if (atomic_load(&all->over)) break;
  }
  if (rank == 0 && first) {
    printf("%d pair%s", pairs, pairs == 1 ? " " : "s");
    for (enum way way = crowded ? YIELDS : SPINS; way < WAYS; way++)
      printf("  %s %.3f us, %.1f ns", names[way], median(trips[way], n), median(windows[way], n));
    printf("  (%d)\n", n);
    fflush(stdout);
  }
}

static void run(int pairs, double seconds) {
  processes = 2 * pairs;
  int crowded = processes > sysconf(_SC_NPROCESSORS_ONLN);
  all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  for (int i = 0; i < processes; i++) {
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      kill(0, SIGTERM);
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      pair = &all->pairs[i / 2];
      rank = i % 2;
      measure(i < 2, pairs, crowded, seconds);
      exit(0);
    }
  }
  while (wait(NULL) > 0) {
  }
  munmap(all, sizeof *all);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 3;
  if (argc < 3) {
    run(1, seconds);
    run(2, seconds);
  }
  for (int a = 2; a < argc; a++) run(atoi(argv[a]) > MOST_PAIRS ? MOST_PAIRS : atoi(argv[a]), seconds);
  return 0;
}
