#ifndef HALCYON_TIFF_SHIM_H
#define HALCYON_TIFF_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libtiff takes callbacks and variadic functions, neither of which suits Swift. A reader is for one thread at a time and
// never outlives its bytes. Nothing is printed: what libtiff has to say is kept for `tiff_shim_message`.

typedef struct tiff_shim_reader tiff_shim_reader;

// Opens the first directory of a file. NULL when there is no memory; see `tiff_shim_failed` for anything else.
// No single piece of memory that libtiff asks for is larger than `allocation_limit` bytes.
tiff_shim_reader *tiff_shim_open(const void *bytes, size_t byte_count, size_t allocation_limit);
void tiff_shim_close(tiff_shim_reader *reader);

// Gets ready to read pixels. `false` when the directory is not of a kind that libtiff turns into RGBA.
bool tiff_shim_start(tiff_shim_reader *reader);

// The size of the picture as libtiff understands it, once reading has started.
uint32_t tiff_shim_width(const tiff_shim_reader *reader);
uint32_t tiff_shim_height(const tiff_shim_reader *reader);

// How many rows a strip or a row of tiles has; reading starts at a multiple of it.
uint32_t tiff_shim_rows_per_read(const tiff_shim_reader *reader);

// Writes `count` stored rows as RGBA bytes premultiplied by alpha.
bool tiff_shim_read(tiff_shim_reader *reader, uint32_t row, uint32_t count, uint32_t *pixels);

// Whether the picture is stored in rows of cyan, magenta, yellow and black, one byte each and nothing else.
bool tiff_shim_has_plain_inks(const tiff_shim_reader *reader);

// Writes one row of inks; rows are read in their order. Only for a picture of plain inks.
bool tiff_shim_read_inks(tiff_shim_reader *reader, uint32_t row, void *inks);

// Whether libtiff asked for bytes past the end.
bool tiff_shim_ran_out(const tiff_shim_reader *reader);

// The first error, in libtiff's words; empty when there was none.
const char *tiff_shim_message(const tiff_shim_reader *reader);

#endif
