#if !__has_include(<avif/avif.h>)
#error "The trait AVIF needs libavif (Debian: libavif-dev)"
#endif
#include <avif/avif.h>

/// Sets how often a sequence is repeated after it was played; false where libavif is too old to write it.
static inline avifBool shim_set_repetitions(avifEncoder *encoder, int count) {
#if AVIF_VERSION >= 1000000
  encoder->repetitionCount = count;
  return AVIF_TRUE;
#else
  (void)encoder;
  (void)count;
  return AVIF_FALSE;
#endif
}

/// Sets the luminances of the content in cd/m², which older versions do not write.
static inline void shim_set_content_light(avifImage *image, uint16_t peak, uint16_t mean) {
#if AVIF_VERSION >= 1000000
  image->clli.maxCLL = peak;
  image->clli.maxPALL = mean;
#else
  (void)image;
  (void)peak;
  (void)mean;
#endif
}
