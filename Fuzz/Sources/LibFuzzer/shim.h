#include <stddef.h>
#include <stdint.h>

// libFuzzer's loop, which compilers link with -sanitize=fuzzer and ship no header for.
extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));
