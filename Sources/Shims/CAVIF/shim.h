#if !__has_include(<avif/avif.h>)
#error "The trait AVIF needs libavif (Debian: libavif-dev)"
#endif
#include <avif/avif.h>
