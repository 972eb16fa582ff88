#include "PeerShim.h"

#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf escape;
} errors;

static void error_exit(j_common_ptr info) { longjmp(((errors *)info->err)->escape, 1); }

bool peer_entropy_decode(const uint8_t *bytes, size_t count) {
  struct jpeg_decompress_struct info;
  errors handler;
  info.err = jpeg_std_error(&handler.base);
  handler.base.error_exit = error_exit;
  jpeg_create_decompress(&info);
  if (setjmp(handler.escape)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  // Discards the coefficients as they are decoded, except in the last rows: skipping all rows would not decode any.
  jpeg_skip_scanlines(&info, info.output_height - 1);
  JSAMPARRAY row = (*info.mem->alloc_sarray)((j_common_ptr)&info, JPOOL_IMAGE, info.output_width * 4, 1);
  jpeg_read_scanlines(&info, row, 1);
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}
