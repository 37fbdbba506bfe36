/*
 * MPI's side of bench/restart: what a program with files of its own does. Each rank writes its state to a file and
 * forces it to storage, or reads it again after all were started anew. One line of rank 0 tells how many seconds that
 * took on the slowest rank, from the moment at which all were ready.
 *
 *   restart write|read DIRECTORY MEBIBYTES
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 4 << 20, NAME = 4096 };

static void require(int holds, const char *what) {
  if (!holds) {
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
}

/* As FMI does: another name first, and the directory forced. */
static void write_state(const char *directory, const char *name, const char *state, size_t bytes) {
  char temporary[NAME + 8];
  snprintf(temporary, sizeof temporary, "%s.tmp", name);
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(file >= 0, temporary);
  for (size_t at = 0; at < bytes;) {
    ssize_t n = write(file, state + at, bytes - at < CHUNK ? bytes - at : CHUNK);
    require(n > 0, temporary);
    at += (size_t)n;
  }
  require(fsync(file) == 0 && close(file) == 0 && rename(temporary, name) == 0, temporary);
  int folder = open(directory, O_RDONLY | O_DIRECTORY);
  require(folder >= 0 && fsync(folder) == 0 && close(folder) == 0, directory);
}

static void read_state(const char *name, char *state, size_t bytes) {
  int file = open(name, O_RDONLY);
  require(file >= 0, name);
  for (size_t at = 0; at < bytes;) {
    ssize_t n = read(file, state + at, bytes - at < CHUNK ? bytes - at : CHUNK);
    require(n > 0, name);
    at += (size_t)n;
  }
  close(file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int writes = argc == 4 && strcmp(argv[1], "write") == 0;
  if (argc != 4 || (!writes && strcmp(argv[1], "read") != 0)) {
    if (rank == 0) {
      fprintf(stderr, "restart: write|read DIRECTORY MEBIBYTES\n");
    }
    MPI_Finalize();
    return 64;
  }
  size_t words = (size_t)atol(argv[3]) << 17;
  uint64_t *state = malloc(words * sizeof *state);
  require(state != NULL, "malloc");
  /* Touched in both cases, as a program's state is before it is read. */
  for (size_t i = 0; i < words; i++) {
    state[i] = writes ? i * 0x9E3779B97F4A7C15u + (uint64_t)rank : 0;
  }
  char name[NAME];
  snprintf(name, sizeof name, "%s/rank-%d", argv[2], rank);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  if (writes) {
    write_state(argv[2], name, (const char *)state, words * sizeof *state);
  } else {
    read_state(name, (char *)state, words * sizeof *state);
  }
  double mine = MPI_Wtime() - begin, slowest;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("seconds %.6f\n", slowest);
    fflush(stdout);
  }
  for (size_t i = 0; i < words; i++) {
    if (state[i] != i * 0x9E3779B97F4A7C15u + (uint64_t)rank) {
      fprintf(stderr, "restart: rank %d: wrong content\n", rank);
      MPI_Abort(MPI_COMM_WORLD, 70);
    }
  }
  free(state);
  MPI_Finalize();
  return 0;
}
