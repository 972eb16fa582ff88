#if __has_include(<tiffio.h>)
#include <tiffio.h>
#endif
