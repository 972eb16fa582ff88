// Not on Apple's platforms, where Xcode compiles every target all the same.
#if __has_include(<jpeglib.h>)
#include <stdlib.h>
#include <string.h>

#include "JPEGErrors.h"

// Both directions of one rewriting. Errors of either leave through `errors`. `source` comes first, so that libjpeg's pointer
// to it also points to this struct.
typedef struct {
  struct jpeg_decompress_struct source;
  struct jpeg_compress_struct result;
  jpeg_shim_errors errors;
  struct jpeg_progress_mgr progress;
  int scan_limit;
  bool (*is_cancelled)(void);
  jvirt_barray_ptr turned[MAX_COMPONENTS];
  unsigned char *bytes;
  unsigned long count;
} transform;

// Each scan takes as long as reading all coefficients. Called for each row of MCUs.
static void check_scans(j_common_ptr info) {
  transform *job = (transform *)info;
  if (job->is_cancelled()) jpeg_shim_escape(&job->errors, jpeg_shim_failed, "cancelled");
  if (job->source.input_scan_number > job->scan_limit) jpeg_shim_escape(&job->errors, jpeg_shim_failed, "too many scans");
}

static JDIMENSION rounded(JDIMENSION count, int factor) {
  return (count + (JDIMENSION)factor - 1) / (JDIMENSION)factor * (JDIMENSION)factor;
}

// Whether no turn moves a block that is not whole to another edge, where it would show what is behind the image.
static bool has_whole_edges(const struct jpeg_decompress_struct *source, int quarter_turns) {
  bool is_wide = source->image_width % (JDIMENSION)(source->max_h_samp_factor * DCTSIZE) == 0;
  bool is_high = source->image_height % (JDIMENSION)(source->max_v_samp_factor * DCTSIZE) == 0;
  return quarter_turns == 0 || ((quarter_turns == 1 || is_wide) && (quarter_turns == 3 || is_high));
}

// The coefficients of a block after some quarter turns clockwise: transposed, and negated in every second row or column.
static void turn_block(const JCOEF *source, JCOEF *result, int quarter_turns) {
  for (int row = 0; row < DCTSIZE; row++) {
    for (int column = 0; column < DCTSIZE; column++) {
      JCOEF value = quarter_turns == 2 ? source[row * DCTSIZE + column] : source[column * DCTSIZE + row];
      int flips = quarter_turns == 1 ? column : quarter_turns == 3 ? row : row + column;
      result[row * DCTSIZE + column] = flips % 2 ? (JCOEF)-value : value;
    }
  }
}

static void turn_component(transform *job, int index, jvirt_barray_ptr *coefficients, int quarter_turns) {
  struct jpeg_decompress_struct *source = &job->source;
  const jpeg_component_info *component = &source->comp_info[index];
  // Blocks that belong to the image: at the edges that a turn moves they are whole.
  JDIMENSION columns = component->width_in_blocks, rows = component->height_in_blocks;
  JDIMENSION result_rows = quarter_turns == 2 ? rows : columns, result_columns = quarter_turns == 2 ? columns : rows;
  for (JDIMENSION y = 0; y < result_rows; y++) {
    JBLOCKROW result = *source->mem->access_virt_barray((j_common_ptr)source, job->turned[index], y, 1, TRUE);
    for (JDIMENSION x = 0; x < result_columns; x++) {
      JDIMENSION column = quarter_turns == 1 ? y : columns - 1 - (quarter_turns == 3 ? y : x);
      JDIMENSION row = quarter_turns == 3 ? x : rows - 1 - (quarter_turns == 1 ? x : y);
      JBLOCKROW blocks = *source->mem->access_virt_barray((j_common_ptr)source, coefficients[index], row, 1, FALSE);
      turn_block(blocks[column], result[x], quarter_turns);
    }
  }
}

// Room for the turned coefficients, in whole MCUs.
static void request_arrays(transform *job, int quarter_turns) {
  struct jpeg_decompress_struct *source = &job->source;
  for (int i = 0; i < source->num_components; i++) {
    const jpeg_component_info *component = &source->comp_info[i];
    JDIMENSION columns = rounded(component->width_in_blocks, component->h_samp_factor);
    JDIMENSION rows = rounded(component->height_in_blocks, component->v_samp_factor);
    bool is_upright = quarter_turns == 2;
    job->turned[i] = source->mem->request_virt_barray(
      (j_common_ptr)source, JPOOL_IMAGE, TRUE, is_upright ? columns : rows, is_upright ? rows : columns,
      (JDIMENSION)(is_upright ? component->v_samp_factor : component->h_samp_factor));
  }
}

static void swap_sides(struct jpeg_compress_struct *result) {
  JDIMENSION width = result->image_width;
  result->image_width = result->image_height;
  result->image_height = width;
#if JPEG_LIB_VERSION >= 70
  result->jpeg_width = result->image_width;
  result->jpeg_height = result->image_height;
#endif
  for (int i = 0; i < result->num_components; i++) {
    int factor = result->comp_info[i].h_samp_factor;
    result->comp_info[i].h_samp_factor = result->comp_info[i].v_samp_factor;
    result->comp_info[i].v_samp_factor = factor;
  }
  for (int i = 0; i < NUM_QUANT_TBLS; i++) {
    JQUANT_TBL *table = result->quant_tbl_ptrs[i];
    for (int row = 0; table && row < DCTSIZE; row++) {
      for (int column = 0; column < row; column++) {
        UINT16 value = table->quantval[row * DCTSIZE + column];
        table->quantval[row * DCTSIZE + column] = table->quantval[column * DCTSIZE + row];
        table->quantval[column * DCTSIZE + row] = value;
      }
    }
  }
}

// The segments of applications, but for those that libjpeg writes itself.
static void copy_segments(transform *job) {
  for (jpeg_saved_marker_ptr segment = job->source.marker_list; segment; segment = segment->next) {
    bool is_jfif = segment->marker == JPEG_APP0 && segment->data_length >= 5 && !memcmp(segment->data, "JFIF", 5);
    bool is_adobe = segment->marker == JPEG_APP0 + 14 && segment->data_length >= 5 && !memcmp(segment->data, "Adobe", 5);
    if ((is_jfif && job->result.write_JFIF_header) || (is_adobe && job->result.write_Adobe_marker)) continue;
    jpeg_write_marker(&job->result, segment->marker, segment->data, segment->data_length);
  }
}

static void rewrite(transform *job, int quarter_turns, bool is_progressive, bool optimizes_codes) {
  struct jpeg_decompress_struct *source = &job->source;
  for (int i = 0; i < 16; i++) jpeg_save_markers(source, JPEG_APP0 + i, 0xFFFF);
  jpeg_read_header(source, TRUE);
  if (!has_whole_edges(source, quarter_turns)) {
    jpeg_shim_escape(&job->errors, jpeg_shim_imperfect, "the blocks at an edge are not whole");
  }
  if (quarter_turns) request_arrays(job, quarter_turns);
  jvirt_barray_ptr *coefficients = jpeg_read_coefficients(source);
  if (job->errors.is_damaged) jpeg_shim_escape(&job->errors, jpeg_shim_failed, "the data is damaged");
  jpeg_copy_critical_parameters(source, &job->result);
  if (quarter_turns % 2) swap_sides(&job->result);
  for (int i = 0; quarter_turns && i < source->num_components; i++) turn_component(job, i, coefficients, quarter_turns);
  job->result.optimize_coding = optimizes_codes;
  if (is_progressive) jpeg_simple_progression(&job->result);
  jpeg_write_coefficients(&job->result, quarter_turns ? job->turned : coefficients);
  copy_segments(job);
  jpeg_finish_compress(&job->result);
  jpeg_finish_decompress(source);
}

jpeg_shim_status jpeg_shim_transform(
  const uint8_t *bytes, size_t count, int quarter_turns, bool is_progressive, bool optimizes_codes, int scan_limit,
  bool (*is_cancelled)(void), uint8_t **result, size_t *result_count) {
  transform *job = calloc(1, sizeof *job);
  if (!job) return jpeg_shim_out_of_memory;
  job->source.err = job->result.err = &job->errors.base;
  jpeg_shim_errors_install(&job->errors);
  job->errors.reads_pixels = true;
  job->errors.status = jpeg_shim_ok;
  if (!setjmp(job->errors.escape)) {
    jpeg_create_decompress(&job->source);
    jpeg_create_compress(&job->result);
    job->scan_limit = scan_limit;
    job->is_cancelled = is_cancelled;
    job->progress.progress_monitor = check_scans;
    job->source.progress = &job->progress;
    jpeg_mem_src(&job->source, bytes, count);
    jpeg_mem_dest(&job->result, &job->bytes, &job->count);
    rewrite(job, quarter_turns, is_progressive, optimizes_codes);
  }
  volatile jpeg_shim_status status = job->errors.status;
  if (!setjmp(job->errors.escape)) {
    jpeg_destroy_compress(&job->result);
    jpeg_destroy_decompress(&job->source);
  }
  if (status == jpeg_shim_ok) {
    *result = job->bytes;
    *result_count = job->count;
  } else {
    free(job->bytes);
  }
  free(job);
  return status;
}
#endif
