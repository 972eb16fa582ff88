#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#endif
