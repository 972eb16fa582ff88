#include <lcms2.h>

// Pixel formats are macros that Swift cannot import.

// Four bytes per pixel, the first of which is grey; the others are ignored.
#define HALCYON_TYPE_GRAY_XXX_8 (COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1))

static const cmsUInt32Number lcms_shim_rgba_8 = TYPE_RGBA_8;
static const cmsUInt32Number lcms_shim_rgba_float = TYPE_RGBA_FLT;
static const cmsUInt32Number lcms_shim_gray_in_rgba_8 = HALCYON_TYPE_GRAY_XXX_8;
static const cmsUInt32Number lcms_shim_cmyk_8 = TYPE_CMYK_8;
static const cmsUInt32Number lcms_shim_cmyk_8_inverted = TYPE_CMYK_8_REV;
