/*
 * MPI's side of bench/init. One line of rank 0: how many seconds MPI_Init took on the slowest rank, and when the last one
 * had come out of it, on the machine's monotonic clock.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  const double begin = now();
  MPI_Init(&argc, &argv);
  const double end = now();
  double mine[2] = {end - begin, end}, last[2];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(mine, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("init took=%.6f ended=%.6f\n", last[0], last[1]);
  MPI_Finalize();
  return 0;
}
