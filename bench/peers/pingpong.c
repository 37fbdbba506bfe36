/* The peer of examples/target/pingpong.jar: the same measurement with MPI in C.
 * Ranks 0 and 1 send a message to and fro; prints for each size in bytes half of a round trip in
 * microseconds and the bandwidth in MB/s, the medians of BATCHES batches after a warm-up.
 *
 *   mpicc -O2 -o pingpong pingpong.c && mpirun -n 2 ./pingpong [--csv]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 11, MAX_BYTES = 8 << 20, TAG = 1 };

static char *ball, *back;
static int rank;

static int round_trips(int bytes) {
  int n = (32 << 20) / bytes;
  return n < 4 ? 4 : n > 1000 ? 1000 : n;
}

/* Sends the ball to and fro; returns the seconds that took. */
static double batch(int bytes) {
  double begin = MPI_Wtime();
  for (int i = 0; i < round_trips(bytes); i++) {
    if (rank == 0) {
      MPI_Send(ball, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
      MPI_Recv(back, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(back, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(back, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
  }
  return MPI_Wtime() - begin;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_micros(int bytes) {
  double micros[BATCHES];
  for (int b = 0; b < BATCHES; b++) micros[b] = batch(bytes) * 1e6 / (2 * round_trips(bytes));
  qsort(micros, BATCHES, sizeof micros[0], ascending);
  return micros[BATCHES / 2];
}

int main(int argc, char **argv) {
  int csv = argc > 1 && !strcmp(argv[1], "--csv"), size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ball = malloc(MAX_BYTES);
  back = calloc(MAX_BYTES, 1);
  if (size != 2 || !ball || !back) {
    fprintf(stderr, "pingpong: needs two ranks and 16 MiB each\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 0; i < MAX_BYTES; i++) ball[i] = (char)(i * 31 + (i >> 8));
  if (rank == 0) puts(csv ? "bytes,half_round_trip_us,mb_per_s" : "     bytes  half round trip us      MB/s");
  for (int bytes = 1; bytes <= MAX_BYTES; bytes *= 2) batch(bytes);
  for (int bytes = 1; bytes <= MAX_BYTES; bytes *= 2) {
    double micros = median_micros(bytes);
    if (rank == 0) printf(csv ? "%d,%.3f,%.1f\n" : "%10d  %18.3f  %8.1f\n", bytes, micros, bytes / micros);
  }
  if (rank == 0 && memcmp(ball, back, MAX_BYTES)) {
    fprintf(stderr, "pingpong: what came back is not what was sent\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
