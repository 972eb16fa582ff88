// Not on Apple's platforms, where Xcode compiles every target all the same.
#if __has_include(<jpeglib.h>)
#include "JPEGErrors.h"

#include <string.h>

#include <jerror.h>

static jpeg_shim_status status_of(int code) {
  return code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE ? jpeg_shim_out_of_memory : jpeg_shim_failed;
}

static void error_exit(j_common_ptr info) {
  jpeg_shim_errors *errors = (jpeg_shim_errors *)info->err;
  errors->base.format_message(info, errors->message);
  errors->status = status_of(errors->base.msg_code);
  longjmp(errors->escape, 1);
}

// Corrupt data is tolerated, as in browsers. Only truncated data is an error, as it may be complete later, unless the
// caller accepts a partial image.
static void emit_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  info->err->num_warnings++;
  jpeg_shim_errors *errors = (jpeg_shim_errors *)info->err;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
      errors->has_ended = true;
      if (!errors->accepts_truncation) jpeg_shim_escape(errors, jpeg_shim_truncated, "the data ends before the image");
      break;
    case JWRN_EXTRANEOUS_DATA:
      // Also between the segments of a header.
      if (!errors->reads_pixels) break;
      // fallthrough
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      if (!errors->has_ended) errors->is_damaged = true;
      // Bits of a block are missing.
      if (errors->has_ended && info->err->msg_code == JWRN_HIT_MARKER) errors->is_truncated = true;
      break;
    default: break;
  }
}

static void output_message(j_common_ptr info) { (void)info; }

void jpeg_shim_errors_install(jpeg_shim_errors *errors) {
  jpeg_std_error(&errors->base);
  errors->base.error_exit = error_exit;
  errors->base.emit_message = emit_message;
  errors->base.output_message = output_message;
}

void jpeg_shim_escape(jpeg_shim_errors *errors, jpeg_shim_status status, const char *message) {
  errors->status = status;
  snprintf(errors->message, sizeof errors->message, "%s", message);
  longjmp(errors->escape, 1);
}
#endif
