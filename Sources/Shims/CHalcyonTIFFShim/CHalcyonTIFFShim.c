// Not on Apple's platforms, where Xcode compiles every target all the same.
#if __has_include(<tiffio.h>)
#include "CHalcyonTIFFShim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct tiff_shim_reader {
  TIFF *file;
  TIFFRGBAImage image;
  bool has_image;
  const uint8_t *bytes;
  uint64_t byte_count;
  uint64_t position;
  bool is_truncated;
  // Of samples in tiles or in planes: the tiles or strips of the rows from `first_row` on, those of a plane one after the
  // other.
  struct {
    uint8_t *bytes;
    uint64_t count;  // Bytes in one tile or strip.
    uint64_t row_count;  // Bytes in a row of one.
    uint32_t width, height;
    uint32_t across, planes;
    uint32_t first_row;
  } parts;
  uint32_t width;
  // The columns that are read.
  uint32_t left, right;
  uint32_t sample_bytes;
  size_t allocation_limit;
  char message[1024];
};

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t count) {
  tiff_shim_reader *reader = handle;
  uint64_t left = reader->position < reader->byte_count ? reader->byte_count - reader->position : 0;
  uint64_t available = (uint64_t)count < left ? (uint64_t)count : left;
  if (available < (uint64_t)count) reader->is_truncated = true;
  memcpy(target, reader->bytes + (available ? reader->position : 0), available);
  reader->position += available;
  return (tmsize_t)available;
}

static tmsize_t write_bytes(thandle_t handle, void *source, tmsize_t count) {
  (void)handle, (void)source, (void)count;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int origin) {
  tiff_shim_reader *reader = handle;
  if (origin == SEEK_CUR) offset += reader->position;
  if (origin == SEEK_END) offset += reader->byte_count;
  return reader->position = offset;
}

static toff_t size(thandle_t handle) { return ((tiff_shim_reader *)handle)->byte_count; }

static int close_bytes(thandle_t handle) {
  (void)handle;
  return 0;
}

static int keep_error(TIFF *file, void *user, const char *module, const char *format, va_list arguments) {
  (void)file, (void)module;
  tiff_shim_reader *reader = user;
  if (!reader->message[0]) vsnprintf(reader->message, sizeof reader->message, format, arguments);
  return 1;
}

static int ignore_warning(TIFF *file, void *user, const char *module, const char *format, va_list arguments) {
  (void)file, (void)user, (void)module, (void)format, (void)arguments;
  return 1;
}

static int map(thandle_t handle, void **base, toff_t *byte_count) {
  tiff_shim_reader *reader = handle;
  *base = (void *)reader->bytes;
  *byte_count = reader->byte_count;
  return 1;
}

static void unmap(thandle_t handle, void *base, toff_t byte_count) { (void)handle, (void)base, (void)byte_count; }

tiff_shim_reader *tiff_shim_open(
  const void *bytes, size_t byte_count, uint64_t directory, size_t allocation_limit, bool is_mapped) {
  tiff_shim_reader *reader = calloc(1, sizeof *reader);
  TIFFOpenOptions *options = reader ? TIFFOpenOptionsAlloc() : NULL;
  if (!options) {
    free(reader);
    return NULL;
  }
  reader->bytes = bytes;
  reader->byte_count = byte_count;
  reader->allocation_limit = allocation_limit;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)allocation_limit);
  TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, reader);
  TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, reader);
  // "m" disables memory mapping, so that reads detect a truncated file.
  reader->file = TIFFClientOpenExt(
    "memory", is_mapped ? "r" : "rm", reader, read_bytes, write_bytes, seek, close_bytes, size, map, unmap, options);
  TIFFOpenOptionsFree(options);
  if (reader->file && TIFFCurrentDirOffset(reader->file) != directory && !TIFFSetSubDirectory(reader->file, directory)) {
    TIFFClose(reader->file);
    reader->file = NULL;
  }
  return reader;
}

void tiff_shim_close(tiff_shim_reader *reader) {
  if (reader->has_image) TIFFRGBAImageEnd(&reader->image);
  if (reader->file) TIFFClose(reader->file);
  free(reader->parts.bytes);
  free(reader);
}

bool tiff_shim_start(tiff_shim_reader *reader) {
  char reason[1024] = "";
  if (!reader->file) return false;
  if (!TIFFRGBAImageOK(reader->file, reason) || !TIFFRGBAImageBegin(&reader->image, reader->file, 1, reason)) {
    if (!reader->message[0]) snprintf(reader->message, sizeof reader->message, "%s", reason);
    return false;
  }
  reader->has_image = true;
  // Rows are read in stored order; the caller applies the orientation.
  reader->image.orientation = ORIENTATION_TOPLEFT;
  reader->image.req_orientation = ORIENTATION_TOPLEFT;
  reader->width = reader->right = reader->image.width;
  return true;
}

uint32_t tiff_shim_width(const tiff_shim_reader *reader) { return reader->image.width; }

uint32_t tiff_shim_height(const tiff_shim_reader *reader) { return reader->image.height; }

uint32_t tiff_shim_rows_per_read(const tiff_shim_reader *reader) {
  uint32_t rows = 0;
  if (TIFFIsTiled(reader->file)) {
    TIFFGetField(reader->file, TIFFTAG_TILELENGTH, &rows);
  } else {
    TIFFGetFieldDefaulted(reader->file, TIFFTAG_ROWSPERSTRIP, &rows);
  }
  return rows == 0 || rows > reader->image.height ? reader->image.height : rows;
}

// Whether columns of strips can be read. TIFFRGBAImage finds the columns of other kinds of samples at wrong places.
static bool reads_columns(const tiff_shim_reader *reader) {
  const TIFFRGBAImage *image = &reader->image;
  return !reader->has_image || (image->bitspersample == 8 && image->isContig &&
                                (image->photometric == PHOTOMETRIC_RGB || image->samplesperpixel == 1));
}

void tiff_shim_limit(tiff_shim_reader *reader, uint32_t *left, uint32_t *width) {
  uint32_t unit = 0;
  if (TIFFIsTiled(reader->file)) {
    TIFFGetField(reader->file, TIFFTAG_TILEWIDTH, &unit);
  } else if (reads_columns(reader)) {
    unit = 1;
  }
  if (unit) {
    uint64_t right = ((uint64_t)*left + *width + unit - 1) / unit * unit;
    reader->left = *left / unit * unit;
    reader->right = right < reader->width ? (uint32_t)right : reader->width;
  }
  *left = reader->left;
  *width = reader->right - reader->left;
}

bool tiff_shim_read(tiff_shim_reader *reader, uint32_t row, uint32_t count, uint32_t *pixels) {
  reader->image.row_offset = (int)row;
  reader->image.col_offset = (int)reader->left;
  return TIFFRGBAImageGet(&reader->image, pixels, reader->right - reader->left, count);
}

static uint16_t field(TIFF *file, uint32_t tag) {
  uint16_t value = 0;
  return TIFFGetFieldDefaulted(file, tag, &value) ? value : 0;
}

// Prepares to read samples that are not in interleaved strips.
static bool start_parts(tiff_shim_reader *reader, uint32_t height, uint16_t samples, uint16_t bits) {
  TIFF *file = reader->file;
  bool is_tiled = TIFFIsTiled(file);
  reader->parts.width = reader->width;
  if (is_tiled) {
    if (!TIFFGetField(file, TIFFTAG_TILEWIDTH, &reader->parts.width) ||
        !TIFFGetField(file, TIFFTAG_TILELENGTH, &reader->parts.height)) return false;
  } else {
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &reader->parts.height);
    if (reader->parts.height > height) reader->parts.height = height;
  }
  if (reader->parts.width == 0 || reader->parts.height == 0) return false;
  uint64_t row_bits = (uint64_t)reader->parts.width * (samples / reader->parts.planes) * bits;
  reader->parts.across = (reader->width - 1) / reader->parts.width + 1;
  reader->parts.row_count = is_tiled ? TIFFTileRowSize64(file) : TIFFScanlineSize64(file);
  reader->parts.count = is_tiled ? TIFFTileSize64(file) : TIFFStripSize64(file);
  if (reader->parts.row_count != (row_bits + 7) / 8 || (reader->parts.across > 1 && row_bits % 8 != 0) ||
      reader->parts.count / reader->parts.row_count != reader->parts.height) return false;
  uint64_t part_count = (uint64_t)reader->parts.across * reader->parts.planes;
  if (reader->parts.count > reader->allocation_limit / part_count) return false;
  reader->parts.first_row = UINT32_MAX;
  return (reader->parts.bytes = calloc(part_count, reader->parts.count)) != NULL;
}

bool tiff_shim_start_samples(tiff_shim_reader *reader, uint32_t width, uint32_t height, uint16_t samples, uint16_t bits) {
  TIFF *file = reader->file;
  uint32_t own_width = 0, own_height = 0;
  bool is_known =
      file && TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &own_width) && TIFFGetField(file, TIFFTAG_IMAGELENGTH, &own_height) &&
      own_width == width && own_height == height && field(file, TIFFTAG_SAMPLESPERPIXEL) == samples &&
      field(file, TIFFTAG_BITSPERSAMPLE) == bits && field(file, TIFFTAG_SAMPLEFORMAT) <= SAMPLEFORMAT_VOID &&
      (field(file, TIFFTAG_PHOTOMETRIC) != PHOTOMETRIC_SEPARATED || field(file, TIFFTAG_INKSET) == INKSET_CMYK);
  if (!is_known) return false;
  bool is_planar = samples > 1 && field(file, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  if (is_planar && bits % 8 != 0) return false;
  reader->width = reader->right = width;
  reader->parts.planes = is_planar ? samples : 1;
  reader->sample_bytes = bits / 8;
  if (is_planar || TIFFIsTiled(file)) return start_parts(reader, height, samples, bits);
  return TIFFScanlineSize64(file) == ((uint64_t)width * samples * bits + 7) / 8;
}

// Whether a tile has columns that are read; a strip has.
static bool is_read(const tiff_shim_reader *reader, uint32_t part) {
  uint64_t left = (uint64_t)part * reader->parts.width;
  return left < reader->right && left + reader->parts.width > reader->left;
}

// Reads the tiles or strips that have a row.
static bool read_parts(tiff_shim_reader *reader, uint32_t first_row) {
  TIFF *file = reader->file;
  uint8_t *target = reader->parts.bytes;
  for (uint32_t plane = 0; plane < reader->parts.planes; plane++) {
    for (uint32_t part = 0; part < reader->parts.across; part++, target += reader->parts.count) {
      if (!is_read(reader, part)) continue;
      tmsize_t count =
          TIFFIsTiled(file)
              ? TIFFReadEncodedTile(
                    file, TIFFComputeTile(file, part * reader->parts.width, first_row, 0, (uint16_t)plane), target,
                    (tmsize_t)reader->parts.count)
              : TIFFReadEncodedStrip(
                    file, TIFFComputeStrip(file, first_row, (uint16_t)plane), target, (tmsize_t)reader->parts.count);
      if (count < 0) return false;
    }
  }
  reader->parts.first_row = first_row;
  return true;
}

bool tiff_shim_read_samples(tiff_shim_reader *reader, uint32_t row, void *samples) {
  if (!reader->parts.bytes) return TIFFReadScanline(reader->file, samples, row, 0) == 1;
  uint32_t line = row % reader->parts.height;
  if (reader->parts.first_row != row - line && !read_parts(reader, row - line)) return false;
  uint32_t planes = reader->parts.planes, size = reader->sample_bytes;
  for (uint32_t plane = 0; plane < planes; plane++) {
    uint8_t *target = (uint8_t *)samples + plane * size;
    for (uint32_t part = 0; part < reader->parts.across; part++) {
      const uint8_t *source = reader->parts.bytes + (plane * (uint64_t)reader->parts.across + part) * reader->parts.count +
                              line * reader->parts.row_count;
      uint32_t left = reader->width - part * reader->parts.width;
      uint32_t width = left < reader->parts.width ? left : reader->parts.width;
      uint64_t count = reader->parts.row_count;
      if (width < reader->parts.width) count = (count * width + reader->parts.width - 1) / reader->parts.width;
      if (planes == 1) {
        if (is_read(reader, part)) memcpy(target, source, count);
        target += count;
        continue;
      }
      for (uint32_t column = 0; column < width; column++, source += size, target += planes * size) memcpy(target, source, size);
    }
  }
  return true;
}

bool tiff_shim_palette(const tiff_shim_reader *reader, const uint16_t **red, const uint16_t **green, const uint16_t **blue) {
  return TIFFGetField(reader->file, TIFFTAG_COLORMAP, red, green, blue) == 1;
}

bool tiff_shim_is_truncated(const tiff_shim_reader *reader) { return reader->is_truncated; }

const char *tiff_shim_message(const tiff_shim_reader *reader) { return reader->message; }
#endif
