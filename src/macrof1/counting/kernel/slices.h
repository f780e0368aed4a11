/* Counting pairs of few classes without a store per row, on processors that count the bits of a vector.

   512 codes below 16 are turned into four vectors, one per binary digit, and these into one vector of bits per class.
   A cell of the table then grows by the number of bits that a gold and a predicted class have in common. */

#ifndef MACROF1_SLICES_H
#define MACROF1_SLICES_H

#if defined(__GNUC__) && defined(__x86_64__) && !defined(MACROF1_PORTABLE)
#include <immintrin.h>

#define SLICED 1
#define MOST_SLICED 16
#define SETS 2
#define SET 512 /* rows */
#define SLICE (SETS * SET)
#define MOST_SLICED_BYTES ((int64_t)1 << 23)
#define WITH_BIT_COUNTS __attribute__((target("avx512f,avx512bw,avx512vpopcntdq")))

typedef uint64_t bits __attribute__((vector_size(64)));

/* Whether this processor can run `table_of_slices`. */
static int counts_bits(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}

/* Turn four vectors of 128 codes, four bits each, into a vector of bits for each of n classes, and for
   some more up to a multiple of four. */
INLINE void class_bits(const bits *codes, uint32_t n, bits *restrict of_class) {
  bits digit[4], high[4], low[4];
  for (int b = 0; b < 4; b++) {
    digit[b] = (bits){0};
    for (int s = 0; s < 4; s++)
      digit[b] |= (s >= b ? codes[s] << (s - b) : codes[s] >> (b - s)) & ((uint64_t)0x1111111111111111 << s);
  }
  for (int k = 0; k < 4; k++) {
    high[k] = (k & 2 ? digit[3] : ~digit[3]) & (k & 1 ? digit[2] : ~digit[2]);
    low[k] = (k & 2 ? digit[1] : ~digit[1]) & (k & 1 ? digit[0] : ~digit[0]);
  }
  for (uint32_t h = 0; h < 4 && 4 * h < n; h++)
    for (uint32_t l = 0; l < 4; l++) of_class[4 * h + l] = high[h] & low[l];
}

/* Add what the classes of gold and predicted have in common, in all sets, to the cells. */
WITH_BIT_COUNTS INLINE void add_common(bits gold[SETS][MOST_SLICED], bits pred[SETS][MOST_SLICED], uint32_t n_gold,
                                       uint32_t n_pred, bits *restrict cells) {
  for (uint32_t g = 0; g < n_gold; g++)
    for (uint32_t p = 0; p < n_pred; p++) {
      bits sum = cells[g * n_pred + p];
      for (int s = 0; s < SETS; s++) sum += (bits)_mm512_popcnt_epi64((__m512i)(gold[s][g] & pred[s][p]));
      cells[g * n_pred + p] = sum;
    }
}
#endif

#endif
