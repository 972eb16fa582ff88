#if !__has_include(<jxl/decode.h>)
#error "The trait JXL needs libjxl (Debian: libjxl-dev)"
#endif
#include <jxl/decode.h>
#include <jxl/encode.h>
