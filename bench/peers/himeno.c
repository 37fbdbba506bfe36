/*
 * The Himeno benchmark in C with MPI, to compare the example himeno.jar with: the same equation, stencil and count of
 * operations; the grid is cut into slabs in direction i. One loop over k computes a point, as in RIKEN's program.
 *
 * himeno IMAX JMAX KMAX ITERATIONS [DIRECTORY INTERVAL]     prints "result gosa=HEX mflops=M"
 *
 * With a directory it takes checkpoints: before each INTERVAL-th iteration every rank writes its p there, to the older one
 * of two files, and once all have done so rank 0 says in a file of its own which iteration that was. Started again it goes
 * on from there.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define OMEGA 0.8f

static int ni, nj, nk;       /* points of this slab, the layer around them left out */
static size_t step_j, step_i; /* from a point to the next one in that direction */

static float *filled(float value) {
  size_t size = (size_t)(ni + 2) * step_i;
  float *array = malloc(size * sizeof *array);
  if (!array) {
    fprintf(stderr, "himeno: no memory for %zu floats\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (size_t x = 0; x < size; x++) array[x] = value;
  return array;
}

static size_t row(int i, int j) { return (size_t)(i + 1) * step_i + (size_t)(j + 1) * step_j + 1; }

static FILE *opened(const char *directory, const char *name, int number, int which, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%d.%d", directory, name, number, which);
  FILE *file = fopen(path, mode);
  if (!file && *mode == 'w') {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
  return file;
}

static void require(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "himeno: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
}

/* The line is one file that is replaced: there is the old one or the new one, whenever this is killed. */
static void write_checkpoint(const char *directory, int rank, int number, const float *p, size_t size) {
  FILE *file = opened(directory, "rank", rank, number % 2, "wb");
  require(fwrite(p, sizeof *p, size, file) == size && fclose(file) == 0, "a checkpoint cannot be written");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/new-0.0", directory);
    snprintf(to, sizeof to, "%s/line-0.0", directory);
    file = opened(directory, "new", 0, 0, "w");
    require(fprintf(file, "%d\n", number) > 0 && fclose(file) == 0 && rename(from, to) == 0, "no line");
  }
  MPI_Barrier(MPI_COMM_WORLD); /* or the file before could be overwritten while the line still names it */
}

/* Returns the number of the checkpoint; -1 if there is none. */
static int read_checkpoint(const char *directory, int rank, float *p, size_t size) {
  int number = -1;
  if (rank == 0) {
    FILE *line = opened(directory, "line", 0, 0, "r");
    require(!line || fscanf(line, "%d", &number) == 1, "a line without a number");
    if (line) fclose(line);
  }
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (number >= 0) {
    FILE *file = opened(directory, "rank", rank, number % 2, "rb");
    require(file && fread(p, sizeof *p, size, file) == size, "a checkpoint cannot be read");
    fclose(file);
  }
  return number;
}

/* One iteration; returns the sum of the squared residuals of this slab. */
static double jacobi(float *restrict p, float *restrict next, const float *restrict a0, const float *restrict a1,
                     const float *restrict a2, const float *restrict a3, const float *restrict b0,
                     const float *restrict b1, const float *restrict b2, const float *restrict c0,
                     const float *restrict c1, const float *restrict c2, const float *restrict bnd,
                     const float *restrict wrk1) {
  const size_t si = step_i, sj = step_j;
  double gosa = 0;
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++)
      for (size_t x = row(i, j), end = x + nk; x < end; x++) {
        float s0 = a0[x] * p[x + si] + a1[x] * p[x + sj] + a2[x] * p[x + 1] +
                   b0[x] * (p[x + si + sj] - p[x + si - sj] - p[x - si + sj] + p[x - si - sj]) +
                   b1[x] * (p[x + sj + 1] - p[x - sj + 1] - p[x + sj - 1] + p[x - sj - 1]) +
                   b2[x] * (p[x + si + 1] - p[x - si + 1] - p[x + si - 1] + p[x - si - 1]) + c0[x] * p[x - si] +
                   c1[x] * p[x - sj] + c2[x] * p[x - 1] + wrk1[x];
        float residual = (s0 * a3[x] - p[x]) * bnd[x];
        gosa += residual * residual;
        next[x] = p[x] + OMEGA * residual;
      }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++)
      for (size_t x = row(i, j), end = x + nk; x < end; x++) p[x] = next[x];
  return gosa;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5 && argc != 7) {
    fprintf(stderr, "usage: himeno IMAX JMAX KMAX ITERATIONS [DIRECTORY INTERVAL]\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  const int imax = atoi(argv[1]), inside = imax - 2, iterations = atoi(argv[4]);
  const int first = (int)((long)inside * rank / ranks);
  ni = (int)((long)inside * (rank + 1) / ranks) - first;
  nj = atoi(argv[2]) - 2;
  nk = atoi(argv[3]) - 2;
  step_j = nk + 3;
  step_i = (nj + 2) * step_j;

  float *p = filled(0), *next = filled(0);
  for (int i = 0; i < ni + 2; i++) {
    const float pressure = (float)((first + i) * (first + i)) / ((imax - 1) * (imax - 1));
    for (size_t x = i * step_i; x < (i + 1) * step_i; x++) p[x] = pressure;
  }
  float *a0 = filled(1), *a1 = filled(1), *a2 = filled(1), *a3 = filled(1 / 6.0f);
  float *b0 = filled(0), *b1 = filled(0), *b2 = filled(0);
  float *c0 = filled(1), *c1 = filled(1), *c2 = filled(1), *bnd = filled(1), *wrk1 = filled(0);
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

  const char *directory = argc == 7 ? argv[5] : NULL;
  const int interval = argc == 7 ? atoi(argv[6]) : 1;
  const size_t size = (size_t)(ni + 2) * step_i;
  const int restored = directory ? read_checkpoint(directory, rank, p, size) : -1;

  double gosa = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int n = restored < 0 ? 0 : restored * interval; n < iterations; n++) {
    if (directory && n % interval == 0 && n / interval != restored)
      write_checkpoint(directory, rank, n / interval, p, size);
    double own = jacobi(p, next, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk1);
    MPI_Sendrecv(p + step_i, (int)step_i, MPI_FLOAT, before, 1, p + (ni + 1) * step_i, (int)step_i, MPI_FLOAT, behind, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(p + ni * step_i, (int)step_i, MPI_FLOAT, behind, 1, p, (int)step_i, MPI_FLOAT, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&own, &gosa, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0)
    printf("result gosa=%a mflops=%.0f\n", gosa, 34.0 * inside * nj * nk * iterations / seconds / 1e6);
  MPI_Finalize();
  return 0;
}
