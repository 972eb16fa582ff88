#if __has_include(<jpeglib.h>)
#include <stdio.h>
#include <jpeglib.h>
#endif
