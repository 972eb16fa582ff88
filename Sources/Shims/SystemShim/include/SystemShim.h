// Calls of the system that Swift does not see: they are variadic, for GNU programs only, or have no function in the C
// library at all.
#ifndef HALCYON_SYSTEM_SHIM_H
#define HALCYON_SYSTEM_SHIM_H

#include <stddef.h>

// Opens a file to read it if that waits for no disk (openat2 with RESOLVE_CACHED, Linux 5.12). Else it returns -1 with
// `errno`: EAGAIN where it would have to wait, ENOSYS where the system has no such call.
int halcyon_open_cached(const char *path);

// Reads what is in memory of a file (preadv2 with RWF_NOWAIT, Linux 4.14); `errno` as above.
long halcyon_read_cached(int file, void *bytes, size_t count, long long offset);

// Whether a path lies on a file system that other machines share, or whose driver is a process: 1, 0, or -1 with `errno`.
int halcyon_is_remote(const char *path);

// Gives the calling thread a name of 15 bytes at most (pthread_setname_np). Does nothing but on Linux.
void halcyon_name_thread(const char *name);

#endif
