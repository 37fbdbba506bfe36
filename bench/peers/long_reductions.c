/* MPI's side of bench/long-reductions, the twin of org.fmi.bench.LongReductions: single calls that reduce a long vector
 * of doubles. Rank 0 prints the median, the worst and the first call in milliseconds, each as long as at the slowest
 * rank.
 *
 *   mpicc -O2 -o long_reductions long_reductions.c
 *   mpirun -n 2 ./long_reductions OPERATION MEBIBYTES WARM_UP_CALLS CALLS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  if (argc != 5) {
    fprintf(stderr, "usage: long_reductions OPERATION MEBIBYTES WARM_UP_CALLS CALLS\n");
    MPI_Abort(WORLD, 64);
  }
  const char *operation = argv[1];
  int count = atoi(argv[2]) << 17, warm_up = atoi(argv[3]), calls = warm_up + atoi(argv[4]);
  double *out = malloc(count * sizeof *out), *in = malloc(count * sizeof *in);
  double *ms = malloc(calls * sizeof *ms), *slowest = malloc(calls * sizeof *slowest);
  if (!out || !in || !ms || !slowest) MPI_Abort(WORLD, 70);
  for (int i = 0; i < count; i++) {
    out[i] = (double)rank + i;
    in[i] = 0;
  }
  for (int call = 0; call < calls; call++) {
    MPI_Barrier(WORLD);
    double begin = MPI_Wtime();
    if (!strcmp(operation, "allreduce")) MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, WORLD);
    else if (!strcmp(operation, "reduce")) MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, 0, WORLD);
    else if (!strcmp(operation, "reducescatter")) MPI_Reduce_scatter_block(out, in, count / ranks, MPI_DOUBLE, MPI_SUM, WORLD);
    else if (!strcmp(operation, "scan")) MPI_Scan(out, in, count, MPI_DOUBLE, MPI_SUM, WORLD);
    else MPI_Abort(WORLD, 64);
    ms[call] = (MPI_Wtime() - begin) * 1e3;
  }
  MPI_Allreduce(ms, slowest, calls, MPI_DOUBLE, MPI_MAX, WORLD);
  if (rank == 0) {
    double first = slowest[0];
    qsort(slowest + warm_up, calls - warm_up, sizeof *slowest, by_value);
    printf("%.2f %.2f %.2f\n", slowest[warm_up + (calls - warm_up) / 2], slowest[calls - 1], first);
  }
  MPI_Finalize();
  return 0;
}
