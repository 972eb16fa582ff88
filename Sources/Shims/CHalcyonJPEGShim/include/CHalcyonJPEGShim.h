#ifndef HALCYON_JPEG_SHIM_H
#define HALCYON_JPEG_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg reports errors by longjmp, which must not cross a Swift frame. Every function here catches it and returns a
// status instead. After any status but `jpeg_shim_ok`, only the message of a handle may be read, and the handle
// destroyed.

typedef enum {
  jpeg_shim_ok,
  jpeg_shim_failed,
  jpeg_shim_truncated,
  jpeg_shim_out_of_memory,
  // Only of `jpeg_shim_transform`.
  jpeg_shim_imperfect,
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
  jpeg_shim_packed_ycbcr,  // Three bytes per pixel, of YCbCr images.
  jpeg_shim_planes,
} jpeg_shim_output;

// The layout of one component in `jpeg_shim_planes`.
typedef struct {
  size_t width;         // Samples per row that belong to the image.
  size_t height;        // Rows that belong to the image.
  size_t stored_width;  // Samples written per row, in whole MCUs.
  size_t group_rows;    // Rows per group (one row of MCUs).
} jpeg_shim_plane;

typedef struct {
  size_t width;
  size_t height;
  int component_count;
  jpeg_shim_color color;
} jpeg_shim_header;

typedef struct {
  size_t width;
  size_t height;
  jpeg_shim_plane planes[4];
} jpeg_shim_layout;

typedef struct jpeg_shim_reader jpeg_shim_reader;

// `bytes` must outlive the reader. NULL when out of memory.
jpeg_shim_reader *jpeg_shim_reader_create(const uint8_t *bytes, size_t count, int scan_limit, size_t memory_limit);
// Decodes truncated data as far as it goes, the rest grey, instead of returning `jpeg_shim_truncated`.
void jpeg_shim_accept_truncation(jpeg_shim_reader *reader);
bool jpeg_shim_is_truncated(const jpeg_shim_reader *reader);
// Whether libjpeg has warned of damaged data, of which it made pixels all the same.
bool jpeg_shim_is_damaged(const jpeg_shim_reader *reader);
void jpeg_shim_reader_destroy(jpeg_shim_reader *reader);
const char *jpeg_shim_reader_message(const jpeg_shim_reader *reader);

jpeg_shim_status jpeg_shim_read_header(jpeg_shim_reader *reader, jpeg_shim_header *header);

// Starts decoding at a scale of `eighths` / 8: 1, 2, 4 or 8.
jpeg_shim_status jpeg_shim_start(
  jpeg_shim_reader *reader, jpeg_shim_output output, int eighths, jpeg_shim_layout *layout);

// Reads one row of MCUs of an image with several scans, all of which are needed before its first row. Call it after
// `jpeg_shim_start` until `done` is set.
jpeg_shim_status jpeg_shim_consume_input(jpeg_shim_reader *reader, bool *done);

// The layout that `jpeg_shim_start` would return for `jpeg_shim_planes`; available after the header.
jpeg_shim_status jpeg_shim_plan(jpeg_shim_reader *reader, int eighths, jpeg_shim_layout *layout);

// Limits packed rows to some columns, before the first row. `*left` becomes the column of the first pixel of the rows, which
// may be further to the left.
jpeg_shim_status jpeg_shim_crop(jpeg_shim_reader *reader, size_t *left, size_t width);

// Skips packed rows.
jpeg_shim_status jpeg_shim_skip_rows(jpeg_shim_reader *reader, size_t count);

// Skips a group of rows of planes.
jpeg_shim_status jpeg_shim_skip_group(jpeg_shim_reader *reader);

// Reads one packed row of `width` pixels.
jpeg_shim_status jpeg_shim_read_row(jpeg_shim_reader *reader, uint8_t *row);

// Reads the next group of rows. `rows` has `group_rows` pointers for each component, one component after the other.
jpeg_shim_status jpeg_shim_read_group(jpeg_shim_reader *reader, uint8_t *const *rows);

// Finishes decoding: reads up to the end-of-image marker.
jpeg_shim_status jpeg_shim_finish(jpeg_shim_reader *reader);

typedef struct jpeg_shim_writer jpeg_shim_writer;

jpeg_shim_writer *jpeg_shim_writer_create(void);
void jpeg_shim_writer_destroy(jpeg_shim_writer *writer);
const char *jpeg_shim_writer_message(const jpeg_shim_writer *writer);

// The colours of a file: one plane, or three with half as many columns and rows for chroma, or as many.
typedef enum { jpeg_shim_chroma_none, jpeg_shim_chroma_420, jpeg_shim_chroma_444 } jpeg_shim_chroma;

// `quality` is 0 to 100. Rows are packed red, green, blue and one ignored byte, or grey without chroma.
jpeg_shim_status jpeg_shim_writer_start(
  jpeg_shim_writer *writer, size_t width, size_t height, int quality, jpeg_shim_chroma chroma, bool is_progressive);
jpeg_shim_status jpeg_shim_write_row(jpeg_shim_writer *writer, const uint8_t *row);

// Finishes the file. The bytes are owned by the writer.
jpeg_shim_status jpeg_shim_writer_finish(jpeg_shim_writer *writer, const uint8_t **bytes, size_t *count);

// Writes a file with the same coefficients, whose pixels are therefore not encoded again, after 0 to 3 quarter turns clockwise.
// Segments of applications are kept. `jpeg_shim_imperfect` if an edge that a turn moves has no whole blocks. The caller frees
// `result`.
jpeg_shim_status jpeg_shim_transform(
  const uint8_t *bytes, size_t count, int quarter_turns, bool is_progressive, bool optimizes_codes, int scan_limit,
  bool (*is_cancelled)(void), uint8_t **result, size_t *result_count);

#endif
