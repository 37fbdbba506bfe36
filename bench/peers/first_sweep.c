/* MPI's side of bench/first-sweep, the twin of org.fmi.bench.FirstSweep, which tells how it measures. What is
 * changed in one is to be changed in the other.
 *
 *   mpicc -O2 -o first_sweep first_sweep.c && mpirun -n 2 ./first_sweep PASSES
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHORT_BYTES = 8192, SHORT_ROUNDS = 1000, LONG_ROUNDS = 100, LARGEST = 4 << 20, TAG = 1 };
#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

static double round_trips(int rank, int rounds, int bytes, char *out, char *in) {
  double begin = MPI_Wtime();
  for (int i = 0; i < rounds; i++) {
    if (rank == 0) {
      MPI_Send(out, bytes, MPI_BYTE, 1, TAG, WORLD);
      MPI_Recv(in, bytes, MPI_BYTE, 1, TAG, WORLD, NO_STATUS);
    } else {
      MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, WORLD, NO_STATUS);
      MPI_Send(out, bytes, MPI_BYTE, 0, TAG, WORLD);
    }
  }
  return MPI_Wtime() - begin;
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  if (argc != 2 || ranks != 2) {
    fprintf(stderr, "usage: mpirun -n 2 first_sweep PASSES\n");
    MPI_Abort(WORLD, 64);
  }
  char *out = calloc(LARGEST, 1), *in = calloc(LARGEST, 1);
  for (int pass = 1; pass <= atoi(argv[1]); pass++)
    for (int bytes = 1; bytes <= LARGEST; bytes *= 2) {
      int rounds = bytes <= SHORT_BYTES ? SHORT_ROUNDS : LONG_ROUNDS;
      MPI_Barrier(WORLD);
      double seconds = round_trips(rank, rounds, bytes, out, in);
      if (rank == 0) printf("sweep,%d,%d,%.3f\n", pass, bytes, seconds / rounds / 2 * 1e6);
    }
  MPI_Finalize();
  return 0;
}
