#ifndef HALCYON_JPEG_ERRORS_H
#define HALCYON_JPEG_ERRORS_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "CHalcyonJPEGShim.h"

// The error manager of one handle. `base` comes first, so that libjpeg's pointer to it also points to this struct.
typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf escape;
  jpeg_shim_status status;
  bool accepts_truncation;
  // Whether the data ended without the marker of the end.
  bool has_ended;
  // Whether pixels are missing because it ended.
  bool is_truncated;
  // Whether pixels are being read, and whether their data is damaged.
  bool reads_pixels;
  bool is_damaged;
  char message[JMSG_LENGTH_MAX];
} jpeg_shim_errors;

void jpeg_shim_errors_install(jpeg_shim_errors *errors);

// Leaves libjpeg by longjmp with a status and a message. Only valid while an entry point has set `escape`.
_Noreturn void jpeg_shim_escape(jpeg_shim_errors *errors, jpeg_shim_status status, const char *message);

#endif
