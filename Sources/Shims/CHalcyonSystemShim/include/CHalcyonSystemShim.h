// System calls that Swift cannot import: they are variadic, need _GNU_SOURCE, or have no function in the C library. And
// loops over samples that Swift runs fast only with optimisation.
#ifndef HALCYON_SYSTEM_SHIM_H
#define HALCYON_SYSTEM_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Opens a file for reading if that does not block on disk I/O (openat2 with RESOLVE_CACHED, Linux 5.12). Otherwise
// returns -1 with `errno`: EAGAIN if it would block, ENOSYS if the system does not support it, ELOOP for a symbolic link.
int halcyon_open_cached(const char *path);

// Reads the part of a file that is in the page cache (preadv2 with RWF_NOWAIT, Linux 4.14); `errno` as above.
long halcyon_read_cached(int file, void *bytes, size_t count, long long offset);

// Whether a path is on a network or FUSE file system: 1, 0, or -1 with `errno`. On Linux only.
int halcyon_is_remote(const char *path);

// Limits the CPU time in seconds and the address space in bytes of this process, and writes no core file (setrlimit).
// Unblocks all signals. Returns 0, or -1 with `errno`.
int halcyon_limit_process(long cpu_seconds, long byte_count);

// Lets this thread, and the threads that it starts, read these files and what is in these folders, and open no other files
// (Landlock, Linux 5.13). Paths that do not exist are left out. Returns 0, or -1 with `errno`: all stays as it is.
int halcyon_allow_reading_only(const char *const paths[], size_t count);

// Lets this process, all of whose threads are those that this one starts, send signals to itself only (seccomp). Returns 0,
// or -1 with `errno`: all stays as it is.
int halcyon_refuse_signals(void);

// Creates an empty file in memory, and a pipe: read end and write end. Their descriptors are above standard input,
// output and error, and are closed in programs that are started. Returns 0, or -1 with `errno`.
int halcyon_open_memory(int *file);
int halcyon_open_pipe(int ends[2]);

// Starts the program at `path` with these descriptors as its standard input and output, no standard error and no other
// descriptor, all signals unblocked. Of the environment it gets what it needs to start and to find fonts. It cannot open
// sockets, get more privileges or trace processes, where the kernel can prevent that (seccomp). Returns its process
// identifier, or -1 with `errno`.
int halcyon_spawn(const char *path, char *const arguments[], int input, int output);

// Names the calling thread, 15 bytes at most (pthread_setname_np). Does nothing on systems other than Linux.
void halcyon_name_thread(const char *name);

// Adds samples to sums.
void halcyon_add_samples(const uint8_t *samples, size_t count, uint16_t *sums);

// Writes rounded averages of `across` pixels each, from the sums of rows of four samples a pixel. `divisor` is the number of
// samples of an average, 1 to 65,536.
void halcyon_average_pixels(
  const uint16_t *sums, size_t count, size_t across, size_t divisor, uint8_t *averages);

// Atomic accesses with acquire and release order. Always inlined, so that the thread sanitizer sees them.
#define HALCYON_INLINE static inline __attribute__((always_inline))

HALCYON_INLINE uint64_t halcyon_atomic_load(const uint64_t *value) { return __atomic_load_n(value, __ATOMIC_ACQUIRE); }

HALCYON_INLINE void halcyon_atomic_store(uint64_t *value, uint64_t next) {
  __atomic_store_n(value, next, __ATOMIC_RELEASE);
}

HALCYON_INLINE uint64_t halcyon_atomic_exchange(uint64_t *value, uint64_t next) {
  return __atomic_exchange_n(value, next, __ATOMIC_ACQ_REL);
}

HALCYON_INLINE uint64_t halcyon_atomic_add(uint64_t *value, uint64_t number) {
  return __atomic_add_fetch(value, number, __ATOMIC_ACQ_REL);
}

// Clears the upper halves of the vector registers. While a library leaves them in use, as ISA-L and zimg do, processors
// take twice the time for instructions with 128-bit vectors, which all other code has.
HALCYON_INLINE void halcyon_clear_upper_halves(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper");
#endif
}

#endif
