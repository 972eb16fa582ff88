#include "CHalcyonProcess.h"

#include <stdlib.h>

static int argument_count;
static char **arguments;

#if defined __GLIBC__ || defined __APPLE__
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}
#endif

char **halcyon_arguments(int *count) {
  *count = argument_count;
  return arguments;
}
