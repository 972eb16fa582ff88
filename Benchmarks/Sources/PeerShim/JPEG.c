#include "PeerShim.h"

#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>

// The fields have other names since version 7 of the interface.
#if JPEG_LIB_VERSION >= 70
#define SCALED_SIDE(component) ((component)->DCT_v_scaled_size)
#define LEAST_SIDE(info) ((info)->min_DCT_v_scaled_size)
#else
#define SCALED_SIDE(component) ((component)->DCT_scaled_size)
#define LEAST_SIDE(info) ((info)->min_DCT_scaled_size)
#endif

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf escape;
} errors;

static void error_exit(j_common_ptr info) { longjmp(((errors *)info->err)->escape, 1); }

static void start(struct jpeg_decompress_struct *info, errors *handler, const uint8_t *bytes, size_t count) {
  info->err = jpeg_std_error(&handler->base);
  handler->base.error_exit = error_exit;
  jpeg_create_decompress(info);
  jpeg_mem_src(info, bytes, count);
}

bool peer_entropy_decode(const uint8_t *bytes, size_t count) {
  struct jpeg_decompress_struct info;
  errors handler;
  if (setjmp(handler.escape)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  start(&info, &handler, bytes, count);
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

bool peer_scaled_decode(const uint8_t *bytes, size_t count, int eighths) {
  struct jpeg_decompress_struct info;
  errors handler;
  if (setjmp(handler.escape)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  start(&info, &handler, bytes, count);
  jpeg_read_header(&info, TRUE);
  info.scale_num = (unsigned)eighths;
  info.scale_denom = 8;
  info.raw_data_out = TRUE;
  info.out_color_space = info.jpeg_color_space;
  jpeg_start_decompress(&info);
  // The rows of one group, which the next group overwrites.
  JSAMPARRAY planes[MAX_COMPONENTS];
  for (int i = 0; i < info.num_components; i++) {
    jpeg_component_info *component = &info.comp_info[i];
    JDIMENSION width = component->width_in_blocks * SCALED_SIDE(component);
    planes[i] = (*info.mem->alloc_sarray)(
      (j_common_ptr)&info, JPOOL_IMAGE, width + 32, component->v_samp_factor * SCALED_SIDE(component));
  }
  JDIMENSION rows = (JDIMENSION)(info.max_v_samp_factor * LEAST_SIDE(&info));
  while (info.output_scanline < info.output_height) jpeg_read_raw_data(&info, planes, rows);
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

size_t peer_coefficient_bytes(const uint8_t *bytes, size_t count) {
  struct jpeg_decompress_struct info;
  errors handler;
  if (setjmp(handler.escape)) {
    jpeg_destroy_decompress(&info);
    return 0;
  }
  start(&info, &handler, bytes, count);
  jpeg_read_header(&info, TRUE);
  jpeg_calc_output_dimensions(&info);
  size_t total = 0;
  for (int i = 0; i < info.num_components; i++) {
    jpeg_component_info *component = &info.comp_info[i];
    size_t across = (info.image_width * component->h_samp_factor + info.max_h_samp_factor * DCTSIZE - 1)
      / (info.max_h_samp_factor * DCTSIZE);
    size_t down = (info.image_height * component->v_samp_factor + info.max_v_samp_factor * DCTSIZE - 1)
      / (info.max_v_samp_factor * DCTSIZE);
    total += across * down * sizeof(JBLOCK);
  }
  jpeg_destroy_decompress(&info);
  return total;
}
