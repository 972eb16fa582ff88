// The stream `stderr` of the C library, which Swift cannot replace.
#ifndef HALCYON_ERROR_STREAM_H
#define HALCYON_ERROR_STREAM_H

// Drops what this process writes to the stream `stderr` from now on; what is written to its descriptor is not affected. The
// last 8 KiB are written after all when a signal ends the process: with them are the messages of Swift's runtime. Call it
// once. Does nothing where the C library has no such streams (glibc has).
void halcyon_drop_stderr(void);

#endif
