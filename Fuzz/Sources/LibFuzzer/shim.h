#include <stddef.h>
#include <stdint.h>

// libFuzzer's main loop, which compilers link with -sanitize=fuzzer but provide no header for.
extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));
