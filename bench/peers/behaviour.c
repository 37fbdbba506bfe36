/*
 * MPI's side of bench/behaviour, the twin of org.fmi.bench.Behaviour: one call of two processes, one of which makes no
 * call and is killed while the other one waits. What each has come to stands in files of a directory: rank 0 and 1 (the
 * process numbers), "waits", "returned" (what the call returned) and "finished" (MPI_Finalize has returned as well).
 *
 *   behaviour OPERATION blocking|non-blocking|synchronous RANK_KILLED DIRECTORY
 *
 * Messages are so long that no library sends them before they are received. Where a call returns at once by its nature
 * the one that completes it is meant as well: MPI_Buffer_detach after a buffered send, and calls of MPI_Test until a
 * non-blocking operation is complete or an error is returned.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 16 << 20, TAG = 1, NAME = 4096 };

static const char *directory;
static char *in, *out, *attached;

/* Under another name first: who finds the file finds all of it. */
static void note(const char *name, const char *content) {
  char temporary[NAME + 8], path[NAME];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  FILE *file = fopen(temporary, "w");
  if (!file || fputs(content, file) < 0 || fclose(file) != 0 || rename(temporary, path) != 0) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
}

static void require(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "behaviour: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
}

static void *memory(size_t bytes) {
  void *found = calloc(1, bytes);
  require(found != NULL, "no memory");
  return found;
}

/* Blocking and synchronous ones. */
static int call(const char *operation, int synchronous, int rank) {
  MPI_Comm world = MPI_COMM_WORLD;
  int other = 1 - rank;
  if (strcmp(operation, "allreduce") == 0) return MPI_Allreduce(out, in, COUNT, MPI_CHAR, MPI_MAX, world);
  if (strcmp(operation, "barrier") == 0) return MPI_Barrier(world);
  if (strcmp(operation, "bcast") == 0) return MPI_Bcast(out, COUNT, MPI_CHAR, 0, world);
  if (strcmp(operation, "gather") == 0) return MPI_Gather(out, COUNT, MPI_CHAR, in, COUNT, MPI_CHAR, 0, world);
  if (strcmp(operation, "reduce") == 0) return MPI_Reduce(out, in, COUNT, MPI_CHAR, MPI_MAX, 0, world);
  if (strcmp(operation, "recv") == 0) return MPI_Recv(in, COUNT, MPI_CHAR, other, TAG, world, MPI_STATUS_IGNORE);
  if (strcmp(operation, "send") == 0 && synchronous) return MPI_Ssend(out, COUNT, MPI_CHAR, other, TAG, world);
  if (strcmp(operation, "send") == 0) return MPI_Send(out, COUNT, MPI_CHAR, other, TAG, world);
  if (strcmp(operation, "wait") == 0) {
    MPI_Request request;
    int error = MPI_Irecv(in, COUNT, MPI_CHAR, other, TAG, world, &request);
    return error != MPI_SUCCESS ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(operation, "bsend") == 0) {
    int error = MPI_Bsend(out, COUNT, MPI_CHAR, other, TAG, world), bytes;
    return error != MPI_SUCCESS ? error : MPI_Buffer_detach(&attached, &bytes);
  }
  require(0, operation);
  return MPI_ERR_OTHER;
}

static int begin(const char *operation, int rank, MPI_Request *request) {
  MPI_Comm world = MPI_COMM_WORLD;
  int other = 1 - rank;
  if (strcmp(operation, "allreduce") == 0) return MPI_Iallreduce(out, in, COUNT, MPI_CHAR, MPI_MAX, world, request);
  if (strcmp(operation, "barrier") == 0) return MPI_Ibarrier(world, request);
  if (strcmp(operation, "bcast") == 0) return MPI_Ibcast(out, COUNT, MPI_CHAR, 0, world, request);
  if (strcmp(operation, "gather") == 0) return MPI_Igather(out, COUNT, MPI_CHAR, in, COUNT, MPI_CHAR, 0, world, request);
  if (strcmp(operation, "reduce") == 0) return MPI_Ireduce(out, in, COUNT, MPI_CHAR, MPI_MAX, 0, world, request);
  if (strcmp(operation, "recv") == 0) return MPI_Irecv(in, COUNT, MPI_CHAR, other, TAG, world, request);
  if (strcmp(operation, "send") == 0) return MPI_Isend(out, COUNT, MPI_CHAR, other, TAG, world, request);
  if (strcmp(operation, "bsend") == 0) return MPI_Ibsend(out, COUNT, MPI_CHAR, other, TAG, world, request);
  require(0, operation);
  return MPI_ERR_OTHER;
}

static int test_until_complete(const char *operation, int rank, MPI_Request *request) {
  int error = begin(operation, rank, request), complete = 0, bytes;
  while (error == MPI_SUCCESS && !complete) error = MPI_Test(request, &complete, MPI_STATUS_IGNORE);
  if (error == MPI_SUCCESS && attached) error = MPI_Buffer_detach(&attached, &bytes);
  return error;
}

int main(int argc, char **argv) {
  int rank, ranks, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  require(ranks == 2 && argc == 5 && provided == MPI_THREAD_MULTIPLE, "OPERATION VARIANT RANK_KILLED DIRECTORY, two processes");
  const char *operation = argv[1], *variant = argv[2];
  directory = argv[4];
  out = memory(COUNT);
  in = memory(2 * (size_t)COUNT);
  char text[MPI_MAX_ERROR_STRING + 1];
  snprintf(text, sizeof text, "%d", (int)getpid());
  note(rank == 0 ? "0" : "1", text);
  MPI_Barrier(MPI_COMM_WORLD); /* they are connected, as programs are before a failure */
  if (rank == atoi(argv[3])) {
    for (;;) pause();
  }
  if (strcmp(operation, "bsend") == 0) {
    attached = memory(COUNT + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(attached, COUNT + MPI_BSEND_OVERHEAD);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  note("waits", "");
  int error = strcmp(variant, "non-blocking") == 0 ? test_until_complete(operation, rank, &request)
                                                   : call(operation, strcmp(variant, "synchronous") == 0, rank);
  int length = snprintf(text, sizeof text, "MPI_SUCCESS");
  if (error != MPI_SUCCESS) MPI_Error_string(error, text, &length);
  note("returned", text);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  MPI_Finalize();
  note("finished", "");
  return 0;
}
