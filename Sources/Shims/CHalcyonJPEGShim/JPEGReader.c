// Not on Apple's platforms, where Xcode compiles every target all the same.
#if __has_include(<jpeglib.h>)
#include <stdlib.h>

#include "JPEGErrors.h"

struct jpeg_shim_reader {
  struct jpeg_decompress_struct info;
  jpeg_shim_errors errors;
  int scan_limit;
  void (*realize_arrays)(j_common_ptr info);
};

#if JPEG_LIB_VERSION >= 70
#define SCALED_WIDTH(component) ((component)->DCT_h_scaled_size)
#define SCALED_HEIGHT(component) ((component)->DCT_v_scaled_size)
#define LEAST_SIDE(info) ((info)->min_DCT_h_scaled_size)
#else
#define SCALED_WIDTH(component) ((component)->DCT_scaled_size)
#define SCALED_HEIGHT(component) ((component)->DCT_scaled_size)
#define LEAST_SIDE(info) ((info)->min_DCT_scaled_size)
#endif

static JDIMENSION scaled(JDIMENSION size, int factor, int divisor) {
  return (JDIMENSION)(((uint64_t)size * (unsigned)factor + (unsigned)divisor - 1) / (unsigned)divisor);
}

// libjpeg decodes subsampled components at a larger scale than the others, to avoid upsampling. As the planes are
// downsampled afterwards, half the samples are enough, which saves the larger inverse DCTs.
static void limit_scales(struct jpeg_decompress_struct *info) {
  int least = LEAST_SIDE(info);
  for (int i = 0; i < info->num_components; i++) {
    jpeg_component_info *component = &info->comp_info[i];
    int side = least;
    while (side < SCALED_WIDTH(component)
           && (component->h_samp_factor * side * 2 < info->max_h_samp_factor * least
               || component->v_samp_factor * side * 2 < info->max_v_samp_factor * least)) {
      side *= 2;
    }
    SCALED_WIDTH(component) = SCALED_HEIGHT(component) = side;
    component->downsampled_width =
      scaled(info->image_width, component->h_samp_factor * side, info->max_h_samp_factor * DCTSIZE);
    component->downsampled_height =
      scaled(info->image_height, component->v_samp_factor * side, info->max_v_samp_factor * DCTSIZE);
  }
}

// Called by libjpeg after it has chosen the scales and before it uses them.
static void limit_scales_and_realize_arrays(j_common_ptr info) {
  jpeg_shim_reader *reader = (jpeg_shim_reader *)info;
  limit_scales(&reader->info);
  reader->realize_arrays(info);
}

jpeg_shim_reader *jpeg_shim_reader_create(const uint8_t *bytes, size_t count, int scan_limit, size_t memory_limit) {
  jpeg_shim_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->info.err = &reader->errors.base;
  jpeg_shim_errors_install(&reader->errors);
  if (setjmp(reader->errors.escape)) {
    jpeg_shim_reader_destroy(reader);
    return NULL;
  }
  jpeg_create_decompress(&reader->info);
  reader->info.mem->max_memory_to_use = (long)memory_limit;
  reader->scan_limit = scan_limit;
  jpeg_mem_src(&reader->info, bytes, count);
  return reader;
}

void jpeg_shim_accept_truncation(jpeg_shim_reader *reader) { reader->errors.accepts_truncation = true; }

bool jpeg_shim_is_truncated(const jpeg_shim_reader *reader) { return reader->errors.is_truncated; }

bool jpeg_shim_is_damaged(const jpeg_shim_reader *reader) { return reader->errors.is_damaged; }

void jpeg_shim_reader_destroy(jpeg_shim_reader *reader) {
  if (!reader) return;
  if (!setjmp(reader->errors.escape)) jpeg_destroy_decompress(&reader->info);
  free(reader);
}

const char *jpeg_shim_reader_message(const jpeg_shim_reader *reader) { return reader->errors.message; }

static jpeg_shim_color color_of(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_GRAYSCALE: return jpeg_shim_grey;
    case JCS_YCbCr: return jpeg_shim_ycbcr;
    case JCS_RGB: return jpeg_shim_rgb;
    case JCS_CMYK: case JCS_YCCK: return jpeg_shim_cmyk;
    default: return jpeg_shim_other;
  }
}

jpeg_shim_status jpeg_shim_read_header(jpeg_shim_reader *reader, jpeg_shim_header *header) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  struct jpeg_decompress_struct *info = &reader->info;
  jpeg_read_header(info, TRUE);
  header->width = info->image_width;
  header->height = info->image_height;
  header->component_count = info->num_components;
  header->color = color_of(info->jpeg_color_space);
  return jpeg_shim_ok;
}

static void describe(const struct jpeg_decompress_struct *info, jpeg_shim_layout *layout) {
  *layout = (jpeg_shim_layout){.width = info->output_width, .height = info->output_height};
  for (int i = 0; i < info->num_components && i < 4; i++) {
    const jpeg_component_info *component = &info->comp_info[i];
    size_t side = (size_t)SCALED_WIDTH(component);
    size_t units = (info->image_width + (size_t)info->max_h_samp_factor * DCTSIZE - 1)
                   / ((size_t)info->max_h_samp_factor * DCTSIZE);
    layout->planes[i] = (jpeg_shim_plane){
      .width = component->downsampled_width,
      .height = component->downsampled_height,
      .stored_width = units * (size_t)component->h_samp_factor * side,
      .group_rows = (size_t)component->v_samp_factor * side,
    };
  }
}

static void set_scale(struct jpeg_decompress_struct *info, int eighths) {
  info->scale_num = (unsigned)eighths;
  info->scale_denom = 8;
}

jpeg_shim_status jpeg_shim_plan(jpeg_shim_reader *reader, int eighths, jpeg_shim_layout *layout) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  set_scale(&reader->info, eighths);
  reader->info.raw_data_out = TRUE;
  jpeg_calc_output_dimensions(&reader->info);
  limit_scales(&reader->info);
  describe(&reader->info, layout);
  return jpeg_shim_ok;
}

static J_COLOR_SPACE packed_space(jpeg_shim_output output) {
  switch (output) {
    case jpeg_shim_packed_cmyk: return JCS_CMYK;
    case jpeg_shim_packed_ycbcr: return JCS_YCbCr;
    default: return JCS_EXT_RGBA;
  }
}

jpeg_shim_status jpeg_shim_start(
  jpeg_shim_reader *reader, jpeg_shim_output output, int eighths, jpeg_shim_layout *layout) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  struct jpeg_decompress_struct *info = &reader->info;
  reader->errors.reads_pixels = true;
  set_scale(info, eighths);
  info->raw_data_out = output == jpeg_shim_planes;
  if (output != jpeg_shim_planes) {
    info->out_color_space = packed_space(output);
  } else {
    info->out_color_space = info->jpeg_color_space;
    reader->realize_arrays = info->mem->realize_virt_arrays;
    info->mem->realize_virt_arrays = limit_scales_and_realize_arrays;
  }
  // At these scales, scans may have been dropped (see JPEGScanSelection), which block smoothing would compensate for. At
  // 1/2, it is of use to a truncated file.
  if (eighths <= 2 || (eighths <= 4 && !reader->errors.accepts_truncation)) info->do_block_smoothing = FALSE;
  // Without this, jpeg_start_decompress would read all scans at once, and could not be cancelled.
  info->buffered_image = jpeg_has_multiple_scans(info);
  jpeg_start_decompress(info);
  describe(info, layout);
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_consume_input(jpeg_shim_reader *reader, bool *done) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  struct jpeg_decompress_struct *info = &reader->info;
  *done = !info->buffered_image;
  if (*done) return jpeg_shim_ok;
  // A few bytes can require thousands of passes over a large image.
  if (info->input_scan_number > reader->scan_limit) {
    jpeg_shim_escape(&reader->errors, jpeg_shim_failed, "it has too many scans");
  }
  if (jpeg_consume_input(info) == JPEG_REACHED_EOI) {
    jpeg_start_output(info, info->input_scan_number);
    *done = true;
  }
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_crop(jpeg_shim_reader *reader, size_t *left, size_t width) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  JDIMENSION first = (JDIMENSION)*left, count = (JDIMENSION)width;
  jpeg_crop_scanline(&reader->info, &first, &count);
  *left = first;
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_skip_rows(jpeg_shim_reader *reader, size_t count) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  struct jpeg_decompress_struct *info = &reader->info;
  // libjpeg does not read what it skips up to the end, where damage would be missed: the last row is read.
  bool is_last = count > 0 && count == info->output_height - info->output_scanline;
  if (is_last) count -= 1;
  if (jpeg_skip_scanlines(info, (JDIMENSION)count) != count) {
    jpeg_shim_escape(&reader->errors, jpeg_shim_failed, "rows are missing");
  }
  if (!is_last) return jpeg_shim_ok;
  JDIMENSION width = info->output_width * (JDIMENSION)info->output_components;
  JSAMPARRAY row = info->mem->alloc_sarray((j_common_ptr)info, JPOOL_IMAGE, width, 1);
  return jpeg_shim_read_row(reader, row[0]);
}

jpeg_shim_status jpeg_shim_read_row(jpeg_shim_reader *reader, uint8_t *row) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  JSAMPROW rows[] = {row};
  if (jpeg_read_scanlines(&reader->info, rows, 1) != 1) {
    jpeg_shim_escape(&reader->errors, jpeg_shim_failed, "a row is missing");
  }
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_read_group(jpeg_shim_reader *reader, uint8_t *const *rows) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  struct jpeg_decompress_struct *info = &reader->info;
  JSAMPARRAY planes[MAX_COMPONENTS];
  JDIMENSION count = (JDIMENSION)(info->max_v_samp_factor * LEAST_SIDE(info));
  for (int i = 0; i < info->num_components; i++) {
    planes[i] = (JSAMPARRAY)rows;
    rows += info->comp_info[i].v_samp_factor * SCALED_HEIGHT(&info->comp_info[i]);
  }
  if (jpeg_read_raw_data(info, planes, count) != count) {
    jpeg_shim_escape(&reader->errors, jpeg_shim_failed, "rows are missing");
  }
  return jpeg_shim_ok;
}

jpeg_shim_status jpeg_shim_skip_group(jpeg_shim_reader *reader) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  struct jpeg_decompress_struct *info = &reader->info;
  JSAMPARRAY planes[MAX_COMPONENTS] = {0};
  JDIMENSION count = (JDIMENSION)(info->max_v_samp_factor * LEAST_SIDE(info));
  // Without the inverse DCT, nothing is written.
  for (int i = 0; i < info->num_components; i++) info->comp_info[i].component_needed = FALSE;
  JDIMENSION read = jpeg_read_raw_data(info, planes, count);
  for (int i = 0; i < info->num_components; i++) info->comp_info[i].component_needed = TRUE;
  if (read != count) jpeg_shim_escape(&reader->errors, jpeg_shim_failed, "rows are missing");
  return jpeg_shim_ok;
}

// Whether each coefficient of each component has been read to its last bit.
static bool has_all_scans(const struct jpeg_decompress_struct *info) {
  for (int i = 0; i < info->num_components; i++) {
    if (!info->comp_info[i].quant_table) return false;
    for (int k = 0; info->progressive_mode && k < DCTSIZE2; k++) {
      if (info->coef_bits[i][k] != 0) return false;
    }
  }
  return true;
}

jpeg_shim_status jpeg_shim_finish(jpeg_shim_reader *reader) {
  if (setjmp(reader->errors.escape)) return reader->errors.status;
  if (reader->info.buffered_image && reader->errors.has_ended && !has_all_scans(&reader->info)) {
    reader->errors.is_truncated = true;
  }
  if (reader->info.buffered_image) jpeg_finish_output(&reader->info);
  jpeg_finish_decompress(&reader->info);
  return jpeg_shim_ok;
}
#endif
