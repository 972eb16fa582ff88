#ifndef HALCYON_JPEG_SHIM_H
#define HALCYON_JPEG_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg reports errors by longjmp, which must not cross a Swift frame. Every function here catches it and returns
// a status instead; after any status but `jpeg_shim_ok` a handle may only be asked for its message and destroyed.

typedef enum {
  jpeg_shim_ok,
  jpeg_shim_failed,
  jpeg_shim_truncated,
  jpeg_shim_out_of_memory,
} jpeg_shim_status;

typedef enum {
  jpeg_shim_grey,
  jpeg_shim_ycbcr,
  jpeg_shim_rgb,
  jpeg_shim_cmyk,
  jpeg_shim_other,
} jpeg_shim_color;

typedef enum {
  jpeg_shim_packed_rgba,
  jpeg_shim_packed_cmyk,
  jpeg_shim_planes,
} jpeg_shim_output;

// How one component comes out in `jpeg_shim_planes`.
typedef struct {
  size_t width;         // Samples that belong to the image.
  size_t height;        // Rows that belong to the image.
  size_t stored_width;  // Samples that a row is written with, whole blocks.
  size_t group_rows;    // Rows that one group has.
} jpeg_shim_plane;

typedef struct {
  size_t width;
  size_t height;
  int component_count;
  jpeg_shim_color color;
  bool has_adobe_marker;
} jpeg_shim_header;

typedef struct {
  size_t width;
  size_t height;
  jpeg_shim_plane planes[4];
} jpeg_shim_layout;

typedef struct jpeg_shim_reader jpeg_shim_reader;

// `bytes` must outlive the reader. NULL when there is no memory.
jpeg_shim_reader *jpeg_shim_reader_create(const uint8_t *bytes, size_t count, int scan_limit, size_t memory_limit);
// Draws what is there of bytes that end too early, and grey for the rest, instead of `jpeg_shim_truncated`.
void jpeg_shim_accept_truncation(jpeg_shim_reader *reader);
bool jpeg_shim_is_truncated(const jpeg_shim_reader *reader);
void jpeg_shim_reader_destroy(jpeg_shim_reader *reader);
const char *jpeg_shim_reader_message(const jpeg_shim_reader *reader);

jpeg_shim_status jpeg_shim_read_header(jpeg_shim_reader *reader, jpeg_shim_header *header);

// Begins decoding at `eighths` / 8 of the size: 1, 2, 4 or 8.
jpeg_shim_status jpeg_shim_start(
  jpeg_shim_reader *reader, jpeg_shim_output output, int eighths, jpeg_shim_layout *layout);

// Reads a row of blocks of an image that comes in several scans, all of which are needed before its first row; to be
// called after `jpeg_shim_start` until it is done.
jpeg_shim_status jpeg_shim_absorb(jpeg_shim_reader *reader, bool *done);

// The layout that `jpeg_shim_start` would have in `jpeg_shim_planes`, after the header, without starting.
jpeg_shim_status jpeg_shim_plan(jpeg_shim_reader *reader, int eighths, jpeg_shim_layout *layout);

// One packed row of `width` pixels.
jpeg_shim_status jpeg_shim_read_row(jpeg_shim_reader *reader, uint8_t *row);

// The next group of rows: for each component, `group_rows` pointers, one component after the other.
jpeg_shim_status jpeg_shim_read_group(jpeg_shim_reader *reader, uint8_t *const *rows);

// Reads on to the end of the image marker.
jpeg_shim_status jpeg_shim_finish(jpeg_shim_reader *reader);

typedef struct jpeg_shim_writer jpeg_shim_writer;

jpeg_shim_writer *jpeg_shim_writer_create(void);
void jpeg_shim_writer_destroy(jpeg_shim_writer *writer);
const char *jpeg_shim_writer_message(const jpeg_shim_writer *writer);

// Quality 0 to 100; the rows that follow are packed red, green, blue and one byte that is ignored.
jpeg_shim_status jpeg_shim_writer_start(jpeg_shim_writer *writer, size_t width, size_t height, int quality);
jpeg_shim_status jpeg_shim_write_row(jpeg_shim_writer *writer, const uint8_t *row);

// Ends the file; the bytes belong to the writer.
jpeg_shim_status jpeg_shim_writer_finish(jpeg_shim_writer *writer, const uint8_t **bytes, size_t *count);

#endif
