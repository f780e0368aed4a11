/* Sums of doubles that are rounded once, whatever the order: every double is a whole multiple of 2^-1074. */

#ifndef MACROF1_EXACT_H
#define MACROF1_EXACT_H

#include <math.h>
#include <string.h>

/* Limbs of 32 bits, the first in units of 2^-1074, with room for carries: 2^30 sums fit before any is carried on. */
#define LIMBS 68
#define MOST_SUMMANDS ((int64_t)1 << 30)

INLINE void add_exactly(int64_t *limb, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint64_t digits = bits & (((uint64_t)1 << 52) - 1);
  int place = (int)(bits >> 52 & 0x7ff);
  if (place) {
    digits |= (uint64_t)1 << 52;
    place--;
  }
  const int at = place >> 5, by = place & 31;
  const uint64_t low = (digits & 0xffffffff) << by, high = (digits >> 32) << by;
  const int64_t sign = bits >> 63 ? -1 : 1;
  limb[at] += sign * (int64_t)(low & 0xffffffff);
  limb[at + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  limb[at + 2] += sign * (int64_t)(high >> 32);
}

/* The nearest double, ties to even. The limbs are used up. */
static double rounded_once(int64_t *limb) {
  int64_t carried = 0;
  for (int i = 0; i < LIMBS; i++) {
    const int64_t sum = limb[i] + carried;
    limb[i] = sum & 0xffffffff;
    carried = (sum - limb[i]) / ((int64_t)1 << 32);
  }
  const int negative = carried < 0;
  if (negative) { /* two's complement */
    carried = 1;
    for (int i = 0; i < LIMBS; i++) {
      const int64_t sum = (~limb[i] & 0xffffffff) + carried;
      limb[i] = sum & 0xffffffff;
      carried = sum >> 32;
    }
  }
  int top = LIMBS - 1;
  while (top > 0 && !limb[top]) top--;
  uint64_t leading = (uint64_t)limb[top] << 32 | (uint64_t)(top ? limb[top - 1] : 0);
  if (!leading) return 0.0;
  const uint64_t next = top > 1 ? (uint64_t)limb[top - 2] : 0;
  int shift = 0;
  while (!(leading << shift >> 63)) shift++;
  leading = leading << shift | next >> (32 - shift);
  int more = (next << shift & 0xffffffff) != 0;
  for (int i = 0; i < top - 2; i++) more |= limb[i] != 0;
  uint64_t digits = leading >> 11;
  const uint64_t rest = leading & 0x7ff;
  digits += rest > 0x400 || (rest == 0x400 && (more || (digits & 1)));
  const double found = ldexp((double)digits, 32 * (top - 1) - shift + 11 - 1074);
  return negative ? -found : found;
}

/* The sum of n finite doubles. */
static double sum_exactly(const double *values, int64_t n) {
  int64_t limb[LIMBS] = {0};
  for (int64_t i = 0; i < n; i++) add_exactly(limb, values[i]);
  return rounded_once(limb);
}

/* The sum of the F1 of n classes; -1 where a ratio would be rounded twice. */
static double f1_exactly(const int64_t *restrict tp, const int64_t *restrict predicted, const int64_t *restrict actual,
                         int64_t n, double undefined) {
  int64_t limb[LIMBS] = {0};
  int sound = 1;
  for (int64_t c = 0; c < n; c++) {
    const int64_t below = predicted[c] + actual[c];
    sound &= (below >= 0) & (below < (int64_t)1 << 53) & (tp[c] >= 0) & (2 * tp[c] <= below);
    add_exactly(limb, below ? 2.0 * (double)tp[c] / (double)below : undefined);
  }
  return sound ? rounded_once(limb) : -1.0;
}

#endif
