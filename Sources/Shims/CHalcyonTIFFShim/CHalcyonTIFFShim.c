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

bool tiff_shim_read(tiff_shim_reader *reader, uint32_t row, uint32_t count, uint32_t *pixels) {
  reader->image.row_offset = (int)row;
  reader->image.col_offset = 0;
  return TIFFRGBAImageGet(&reader->image, pixels, reader->image.width, count);
}

static uint16_t field(TIFF *file, uint32_t tag) {
  uint16_t value = 0;
  return TIFFGetFieldDefaulted(file, tag, &value) ? value : 0;
}

bool tiff_shim_start_samples(tiff_shim_reader *reader, uint32_t width, uint32_t height, uint16_t samples, uint16_t bits) {
  TIFF *file = reader->file;
  uint32_t own_width = 0, own_height = 0;
  if (!file || TIFFIsTiled(file)) return false;
  return TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &own_width) && TIFFGetField(file, TIFFTAG_IMAGELENGTH, &own_height) &&
         own_width == width && own_height == height && field(file, TIFFTAG_SAMPLESPERPIXEL) == samples &&
         field(file, TIFFTAG_BITSPERSAMPLE) == bits && (samples == 1 || field(file, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG) &&
         field(file, TIFFTAG_SAMPLEFORMAT) <= SAMPLEFORMAT_IEEEFP &&
         (field(file, TIFFTAG_PHOTOMETRIC) != PHOTOMETRIC_SEPARATED || field(file, TIFFTAG_INKSET) == INKSET_CMYK) &&
         TIFFScanlineSize64(file) == ((uint64_t)width * samples * bits + 7) / 8;
}

bool tiff_shim_read_samples(tiff_shim_reader *reader, uint32_t row, void *samples) {
  return TIFFReadScanline(reader->file, samples, row, 0) == 1;
}

bool tiff_shim_palette(const tiff_shim_reader *reader, const uint16_t **red, const uint16_t **green, const uint16_t **blue) {
  return TIFFGetField(reader->file, TIFFTAG_COLORMAP, red, green, blue) == 1;
}

bool tiff_shim_is_truncated(const tiff_shim_reader *reader) { return reader->is_truncated; }

const char *tiff_shim_message(const tiff_shim_reader *reader) { return reader->message; }
#endif
