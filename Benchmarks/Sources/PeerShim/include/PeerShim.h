#ifndef PEER_SHIM_H
#define PEER_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libvips takes variable arguments, and libjpeg jumps: both are out of Swift's reach.

typedef struct {
  uint8_t *pixels;  // To be freed with `free`.
  int width;
  int height;
  int channels;
} peer_picture;

// Starts libvips with one thread and without its cache.
bool peer_start(const char *program);
const char *peer_message(void);

// The image as wide as `width`, by vips_thumbnail_buffer, never enlarged; in sRGB where `converts_colors`.
bool peer_thumbnail(const uint8_t *bytes, size_t count, int width, bool converts_colors, peer_picture *picture);

// Blurs opaque pixels of four channels by a Gaussian of this standard deviation.
bool peer_blur(const uint8_t *pixels, int width, int height, double sigma, peer_picture *picture);

// Draws a picture of four bands so many times as large, by its Lanczos filter of three lobes.
bool peer_resize(const uint8_t *pixels, int width, int height, double scale, peer_picture *picture);

// Saves an image with at most so many pixels; `target` may end in libvips' options.
bool peer_convert(const char *source, const char *target, double pixel_count);

// Decodes the entropy-coded bytes of a JPEG file and nothing else; the file must be whole.
bool peer_entropy_decode(const uint8_t *bytes, size_t count);

#endif
