// Not on Apple's platforms, where Xcode compiles every target all the same.
#if __has_include(<jpeglib.h>)
#include <stdlib.h>

#include "JPEGErrors.h"

struct jpeg_shim_writer {
  struct jpeg_compress_struct info;
  jpeg_shim_errors errors;
  unsigned char *bytes;
  unsigned long count;
};

jpeg_shim_writer *jpeg_shim_writer_create(void) {
  jpeg_shim_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->info.err = &writer->errors.base;
  jpeg_shim_errors_install(&writer->errors);
  if (setjmp(writer->errors.escape)) {
    jpeg_shim_writer_destroy(writer);
    return NULL;
  }
  jpeg_create_compress(&writer->info);
  jpeg_mem_dest(&writer->info, &writer->bytes, &writer->count);
  return writer;
}

void jpeg_shim_writer_destroy(jpeg_shim_writer *writer) {
  if (!writer) return;
  if (!setjmp(writer->errors.escape)) jpeg_destroy_compress(&writer->info);
  free(writer->bytes);
  free(writer);
}

const char *jpeg_shim_writer_message(const jpeg_shim_writer *writer) { return writer->errors.message; }

jpeg_shim_status jpeg_shim_writer_start(
  jpeg_shim_writer *writer, size_t width, size_t height, int quality, jpeg_shim_chroma chroma, bool is_progressive) {
  if (setjmp(writer->errors.escape)) return writer->errors.status;
  struct jpeg_compress_struct *info = &writer->info;
  info->image_width = (JDIMENSION)width;
  info->image_height = (JDIMENSION)height;
  info->input_components = chroma == jpeg_shim_chroma_none ? 1 : 4;
  info->in_color_space = chroma == jpeg_shim_chroma_none ? JCS_GRAYSCALE : JCS_EXT_RGBX;
  jpeg_set_defaults(info);
  // The default is 2 for both.
  if (chroma == jpeg_shim_chroma_444) info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
  jpeg_set_quality(info, quality, TRUE);
  info->optimize_coding = TRUE;
  if (is_progressive) jpeg_simple_progression(info);
  jpeg_start_compress(info, TRUE);
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_write_row(jpeg_shim_writer *writer, const uint8_t *row) {
  if (setjmp(writer->errors.escape)) return writer->errors.status;
  JSAMPROW rows[] = {(JSAMPROW)row};
  jpeg_write_scanlines(&writer->info, rows, 1);
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_writer_finish(jpeg_shim_writer *writer, const uint8_t **bytes, size_t *count) {
  if (setjmp(writer->errors.escape)) return writer->errors.status;
  jpeg_finish_compress(&writer->info);
  *bytes = writer->bytes;
  *count = writer->count;
  return jpeg_shim_ok;
}
#endif
