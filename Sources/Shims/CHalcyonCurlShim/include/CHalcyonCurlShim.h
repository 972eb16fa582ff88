// libcurl sets and reads options through variadic functions, which Swift cannot call: one function per value type.
#ifndef HALCYON_CURL_SHIM_H
#define HALCYON_CURL_SHIM_H

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

typedef size_t (*halcyon_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);

CURLcode halcyon_curl_set_long(CURL *easy, CURLoption option, long value);
CURLMcode halcyon_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLcode halcyon_curl_set_text(CURL *easy, CURLoption option, const char *value);
// Copies CURLOPT_POSTFIELDSIZE bytes; NULL for none.
CURLcode halcyon_curl_copy_body(CURL *easy, const void *bytes);
CURLcode halcyon_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode halcyon_curl_set_context(CURL *easy, CURLoption option, void *value);
CURLcode halcyon_curl_set_callback(CURL *easy, CURLoption option, halcyon_curl_data_callback value);
CURLcode halcyon_curl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode halcyon_curl_get_number(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode halcyon_curl_set_open_socket(CURL *easy, curl_opensocket_callback value);
CURLcode halcyon_curl_set_close_socket(CURL *easy, curl_closesocket_callback value);
CURLcode halcyon_curl_set_before_request(CURL *easy, curl_prereq_callback value);
CURLcode halcyon_curl_authenticate_basic(CURL *easy);
CURLcode halcyon_curl_get_context(CURL *easy, void **value);

// Closing a transfer during its DNS lookup does not wait for the lookup (CURLOPT_QUICK_EXIT, libcurl 7.87 and newer).
CURLcode halcyon_curl_leave_name_lookups(CURL *easy);

#endif
#endif
