#include "PeerShim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

bool peer_start(const char *program) {
  if (vips_init(program)) return false;
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_concurrency_set(1);
  return true;
}

const char *peer_message(void) { return vips_error_buffer(); }

bool peer_thumbnail(const uint8_t *bytes, size_t count, int width, bool converts_colors, peer_image *result) {
  VipsImage *image = NULL;
  int failed = converts_colors
    ? vips_thumbnail_buffer(
        (void *)bytes, count, &image, width, "height", VIPS_MAX_COORD, "size", VIPS_SIZE_DOWN, "export_profile",
        "srgb", NULL)
    : vips_thumbnail_buffer(
        (void *)bytes, count, &image, width, "height", VIPS_MAX_COORD, "size", VIPS_SIZE_DOWN, NULL);
  if (failed) return false;
  size_t size = 0;
  uint8_t *pixels = vips_image_write_to_memory(image, &size);
  *result = (peer_image){pixels, image->Xsize, image->Ysize, image->Bands};
  bool fits = pixels && image->BandFmt == VIPS_FORMAT_UCHAR;
  g_object_unref(image);
  return fits;
}

static VipsImage *image_of(const uint8_t *pixels, int width, int height) {
  return vips_image_new_from_memory(pixels, (size_t)width * height * 4, width, height, 4, VIPS_FORMAT_UCHAR);
}

static bool write_image(VipsImage *image, peer_image *result) {
  size_t size = 0;
  uint8_t *pixels = vips_image_write_to_memory(image, &size);
  *result = (peer_image){pixels, image->Xsize, image->Ysize, image->Bands};
  g_object_unref(image);
  return pixels != NULL;
}

bool peer_blur(const uint8_t *pixels, int width, int height, double sigma, peer_image *result) {
  VipsImage *image = image_of(pixels, width, height);
  if (!image) return false;
  VipsImage *blurred = NULL;
  int failed = vips_gaussblur(image, &blurred, sigma, NULL);
  g_object_unref(image);
  return !failed && write_image(blurred, result);
}

bool peer_resize(const uint8_t *pixels, int width, int height, double scale, peer_image *result) {
  VipsImage *image = image_of(pixels, width, height);
  if (!image) return false;
  VipsImage *resized = NULL;
  int failed = vips_resize(image, &resized, scale, NULL);
  g_object_unref(image);
  return !failed && write_image(resized, result);
}

bool peer_convert(const char *source, const char *target, double pixel_count) {
  VipsImage *image = vips_image_new_from_file(source, NULL);
  if (!image) return false;
  double scale = sqrt(pixel_count / ((double)image->Xsize * image->Ysize));
  if (scale < 1) {
    VipsImage *small = NULL;
    int failed = vips_resize(image, &small, scale, NULL);
    g_object_unref(image);
    if (failed) return false;
    image = small;
  }
  int failed = vips_image_write_to_file(image, target, NULL);
  g_object_unref(image);
  return !failed;
}
