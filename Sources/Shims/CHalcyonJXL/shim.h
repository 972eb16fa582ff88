#if !__has_include(<jxl/decode.h>)
#error "The trait JXL needs libjxl (Debian: libjxl-dev)"
#endif
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>

// Before libjxl 0.9 these functions had another parameter, which had no effect.
#if JPEGXL_MAJOR_VERSION == 0 && JPEGXL_MINOR_VERSION < 9
#define HALCYON_JXL_FORMAT NULL,
#else
#define HALCYON_JXL_FORMAT
#endif

static inline JxlDecoderStatus jxl_encoded_profile(
    const JxlDecoder *decoder, JxlColorProfileTarget target, JxlColorEncoding *encoding) {
  return JxlDecoderGetColorAsEncodedProfile(decoder, HALCYON_JXL_FORMAT target, encoding);
}

static inline JxlDecoderStatus jxl_icc_profile_size(
    const JxlDecoder *decoder, JxlColorProfileTarget target, size_t *size) {
  return JxlDecoderGetICCProfileSize(decoder, HALCYON_JXL_FORMAT target, size);
}

static inline JxlDecoderStatus jxl_icc_profile(
    const JxlDecoder *decoder, JxlColorProfileTarget target, uint8_t *profile, size_t size) {
  return JxlDecoderGetColorAsICCProfile(decoder, HALCYON_JXL_FORMAT target, profile, size);
}
