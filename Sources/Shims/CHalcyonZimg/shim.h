#include <zimg.h>

// The planes of a buffer are anonymous structs, which Swift cannot import.

static inline void zimg_shim_set_source_plane(
  zimg_image_buffer_const *buffer, int plane, const void *data, ptrdiff_t stride, unsigned mask) {
  buffer->plane[plane].data = data;
  buffer->plane[plane].stride = stride;
  buffer->plane[plane].mask = mask;
}

static inline void zimg_shim_set_target_plane(
  zimg_image_buffer *buffer, int plane, void *data, ptrdiff_t stride, unsigned mask) {
  buffer->plane[plane].data = data;
  buffer->plane[plane].stride = stride;
  buffer->plane[plane].mask = mask;
}
