#ifndef HALCYON_TIFF_SHIM_H
#define HALCYON_TIFF_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libtiff uses callbacks and variadic functions, which are awkward or unavailable in Swift. A reader is for one thread
// at a time and must not outlive its bytes. Nothing is printed; the first error of libtiff is stored for
// `tiff_shim_message`.

typedef struct tiff_shim_reader tiff_shim_reader;

// Opens the directory of a file at an offset. NULL when out of memory; other errors are reported by `tiff_shim_start`.
// `allocation_limit` is the maximum size of a single allocation by libtiff, in bytes. `is_mapped` makes libtiff read the
// bytes in place, where a truncated file is not detected by `tiff_shim_is_truncated`.
tiff_shim_reader *tiff_shim_open(
  const void *bytes, size_t byte_count, uint64_t directory, size_t allocation_limit, bool is_mapped);
void tiff_shim_close(tiff_shim_reader *reader);

// Prepares to read pixels. `false` if libtiff cannot convert the directory to RGBA, or if opening failed.
bool tiff_shim_start(tiff_shim_reader *reader);

// The size of the image as libtiff reads it, after `tiff_shim_start`.
uint32_t tiff_shim_width(const tiff_shim_reader *reader);
uint32_t tiff_shim_height(const tiff_shim_reader *reader);

// The number of rows of a strip or tile; reads start at a multiple of it.
uint32_t tiff_shim_rows_per_read(const tiff_shim_reader *reader);

// Limits reads to some columns, after the start. Sets the first column that is read, and their number, which may be more.
void tiff_shim_limit(tiff_shim_reader *reader, uint32_t *left, uint32_t *width);

// Writes `count` stored rows as premultiplied RGBA.
bool tiff_shim_read(tiff_shim_reader *reader, uint32_t row, uint32_t count, uint32_t *pixels);

// In place of `tiff_shim_start`: prepares to read samples as they are stored, in strips or tiles, interleaved or in planes.
// `false` unless they are of this size, number and depth, and no complex numbers; inks are CMYK. Tiles, and strips in
// planes, take the memory of those with the same rows, within the allocation limit.
bool tiff_shim_start_samples(tiff_shim_reader *reader, uint32_t width, uint32_t height, uint16_t samples, uint16_t bits);

// Writes the samples of one row, interleaved and in the byte order of this machine; rows must be read in order.
bool tiff_shim_read_samples(tiff_shim_reader *reader, uint32_t row, void *samples);

// The palette: 2 to the power of the depth 16-bit values for each colour. `false` if there is none.
bool tiff_shim_palette(const tiff_shim_reader *reader, const uint16_t **red, const uint16_t **green, const uint16_t **blue);

// Whether libtiff tried to read past the end of the bytes.
bool tiff_shim_is_truncated(const tiff_shim_reader *reader);

// libtiff's first error message; empty if there was none.
const char *tiff_shim_message(const tiff_shim_reader *reader);

#endif
