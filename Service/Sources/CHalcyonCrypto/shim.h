// The functions of SHA-256 alone, which look up no implementation at each call, are declared as deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
