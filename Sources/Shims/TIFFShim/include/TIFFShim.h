#ifndef HALCYON_TIFF_SHIM_H
#define HALCYON_TIFF_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libtiff uses callbacks and variadic functions, which are awkward or unavailable in Swift. A reader is for one thread
// at a time and must not outlive its bytes. Nothing is printed; the first error of libtiff is stored for
// `tiff_shim_message`.

typedef struct tiff_shim_reader tiff_shim_reader;

// Opens the first directory of a file. NULL when out of memory; other errors are reported by `tiff_shim_start`.
// `allocation_limit` is the maximum size of a single allocation by libtiff, in bytes.
tiff_shim_reader *tiff_shim_open(const void *bytes, size_t byte_count, size_t allocation_limit);
void tiff_shim_close(tiff_shim_reader *reader);

// Prepares to read pixels. `false` if libtiff cannot convert the directory to RGBA, or if opening failed.
bool tiff_shim_start(tiff_shim_reader *reader);

// The size of the image as libtiff reads it, after `tiff_shim_start`.
uint32_t tiff_shim_width(const tiff_shim_reader *reader);
uint32_t tiff_shim_height(const tiff_shim_reader *reader);

// The number of rows of a strip or tile; reads start at a multiple of it.
uint32_t tiff_shim_rows_per_read(const tiff_shim_reader *reader);

// Writes `count` stored rows as premultiplied RGBA.
bool tiff_shim_read(tiff_shim_reader *reader, uint32_t row, uint32_t count, uint32_t *pixels);

// Whether the image is stored in strips of interleaved 8-bit CMYK without further channels.
bool tiff_shim_has_plain_cmyk(const tiff_shim_reader *reader);

// Writes one row of CMYK; rows must be read in order. Only if `tiff_shim_has_plain_cmyk`.
bool tiff_shim_read_cmyk(tiff_shim_reader *reader, uint32_t row, void *pixels);

// Whether libtiff tried to read past the end of the bytes.
bool tiff_shim_is_truncated(const tiff_shim_reader *reader);

// libtiff's first error message; empty if there was none.
const char *tiff_shim_message(const tiff_shim_reader *reader);

#endif
