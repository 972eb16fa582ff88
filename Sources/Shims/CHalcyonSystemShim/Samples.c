#include "CHalcyonSystemShim.h"

// Whole vectors are fast in a build without optimisation, too: there a smaller image must not take longer than the whole one.
#define VECTOR(name, type, count) \
  typedef type name __attribute__((vector_size(sizeof(type) * (count)), aligned(sizeof(type)), may_alias))
VECTOR(bytes64, uint8_t, 64);
VECTOR(sums64, uint16_t, 64);
VECTOR(bytes4, uint8_t, 4);
VECTOR(sums4, uint16_t, 4);
VECTOR(totals4, uint32_t, 4);
VECTOR(products4, uint64_t, 4);

void halcyon_add_samples(const uint8_t *samples, size_t count, uint16_t *sums) {
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    *(sums64 *)(sums + i) += __builtin_convertvector(*(const bytes64 *)(samples + i), sums64);
  }
  for (; i < count; i++) sums[i] += samples[i];
}

void halcyon_average_pixels(
  const uint16_t *sums, size_t count, size_t across, size_t divisor, uint8_t *averages) {
  // A division without one, exact since totals have 24 bits and divisors 16.
  uint64_t reciprocal = ((1ull << 40) + divisor - 1) / divisor;
  for (size_t i = 0; i < count; i++) {
    totals4 total = (totals4){0} + (uint32_t)(divisor / 2);
    for (size_t column = 0; column < across; column++, sums += 4) {
      total += __builtin_convertvector(*(const sums4 *)sums, totals4);
    }
    products4 quotient = __builtin_convertvector(total, products4) * reciprocal >> 40;
    *(bytes4 *)(averages + 4 * i) = __builtin_convertvector(quotient, bytes4);
  }
}
