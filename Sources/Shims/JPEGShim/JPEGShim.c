#include "JPEGShim.h"
