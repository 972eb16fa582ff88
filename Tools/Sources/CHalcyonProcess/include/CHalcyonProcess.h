// What Swift cannot do with its process: replace the stream `stderr`, and know the arguments without `/proc`.
#ifndef HALCYON_PROCESS_H
#define HALCYON_PROCESS_H

// Drops what this process writes to the stream `stderr` from now on; what is written to its descriptor is not affected. The
// last 8 KiB are written after all when a signal ends the process: with them are the messages of Swift's runtime. Call it
// once. Does nothing where the C library has no such streams (glibc has).
void halcyon_drop_stderr(void);

// The arguments of the process, the name of the program first, and their number; NULL where the C library does not pass them
// to functions that run before `main` (glibc and Apple's do).
char *_Nullable *_Nullable halcyon_arguments(int *_Nonnull count);

#endif
