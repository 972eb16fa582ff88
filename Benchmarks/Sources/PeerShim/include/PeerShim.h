#ifndef PEER_SHIM_H
#define PEER_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Swift can neither call the variadic functions of libvips nor handle the longjmp of libjpeg's errors.

typedef struct {
  uint8_t *pixels;  // To be freed with `free`.
  int width;
  int height;
  int channels;
} peer_image;

// Initializes libvips with one thread and without its operation cache.
bool peer_start(const char *program);
const char *peer_message(void);

// Decodes to a width of `width` with vips_thumbnail_buffer, never enlarging; converts to sRGB if `converts_colors`.
bool peer_thumbnail(const uint8_t *bytes, size_t count, int width, bool converts_colors, peer_image *result);

// Gaussian blur of opaque four-channel pixels with standard deviation `sigma`.
bool peer_blur(const uint8_t *pixels, int width, int height, double sigma, peer_image *result);

// Scales a four-channel image by `scale` with libvips' Lanczos filter of three lobes.
bool peer_resize(const uint8_t *pixels, int width, int height, double scale, peer_image *result);

// Converts a file, scaled down to at most `pixel_count` pixels; `target` may end with libvips' save options.
bool peer_convert(const char *source, const char *target, double pixel_count);

// Decodes only the entropy-coded data of a JPEG file, which must be complete.
bool peer_entropy_decode(const uint8_t *bytes, size_t count);

// Decodes a JPEG file to planes at `eighths` of its size with libjpeg-turbo, which no code reads.
bool peer_scaled_decode(const uint8_t *bytes, size_t count, int eighths);

// The bytes of all coefficients of a JPEG file; 0 if it cannot be read.
size_t peer_coefficient_bytes(const uint8_t *bytes, size_t count);

// Decodes a lossy WebP file to planes with libwebp, which no code reads.
bool peer_webp_decode(const uint8_t *bytes, size_t count, bool skips_loop_filter);

#endif
