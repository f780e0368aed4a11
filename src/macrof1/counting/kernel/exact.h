/* Sums of doubles that are rounded once, whatever the order: every double is a whole multiple of 2^-1074. */

#ifndef MACROF1_EXACT_H
#define MACROF1_EXACT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limbs of 32 bits, the first in units of 2^-1074, with room for carries: 2^30 sums fit before any is carried on. */
#define LIMBS 68
#define MOST_SUMMANDS ((int64_t)1 << 30)
/* Doubles of one sign and exponent are added up first, as whole numbers: that pays from so many on. */
#define BINS 4096
#define MANY 512

typedef struct {
  int64_t limb[LIMBS];
  int first, last; /* limbs in use */
  uint64_t *low, *high; /* of every sign and exponent; NULL for few doubles */
} exact;

static void open_sum(exact *sum, int64_t n) {
  memset(sum->limb, 0, sizeof sum->limb);
  sum->first = LIMBS;
  sum->last = 0;
  sum->low = n < MANY ? NULL : calloc(2 * BINS, sizeof(uint64_t));
  sum->high = sum->low ? sum->low + BINS : NULL;
}

INLINE void add_digits(exact *sum, uint64_t digits, int bin, int further) {
  const int exponent = bin & 0x7ff, place = (exponent ? exponent - 1 : 0) + further, at = place >> 5, by = place & 31;
  const uint64_t low = (digits & 0xffffffff) << by, high = (digits >> 32) << by;
  const int64_t sign = bin >> 11 ? -1 : 1;
  int64_t *limb = sum->limb;
  if (at < sum->first) sum->first = at;
  if (at + 2 > sum->last) sum->last = at + 2;
  limb[at] += sign * (int64_t)(low & 0xffffffff);
  limb[at + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  limb[at + 2] += sign * (int64_t)(high >> 32);
}

INLINE void add_exactly(exact *sum, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int bin = (int)(bits >> 52);
  const uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)((bin & 0x7ff) != 0) << 52;
  if (sum->low) {
    sum->low[bin] += digits & 0xffffffff;
    sum->high[bin] += digits >> 32;
  } else
    add_digits(sum, digits, bin, 0);
}

/* The nearest double, ties to even. The sum is used up. */
static double rounded_once(exact *sum) {
  int64_t *limb = sum->limb, carried = 0;
  if (sum->low)
    for (int bin = 0; bin < BINS; bin++) {
      if (sum->low[bin]) add_digits(sum, sum->low[bin], bin, 0);
      if (sum->high[bin]) add_digits(sum, sum->high[bin], bin, 32);
    }
  free(sum->low);
  /* Beyond the last limb in use, two take what is carried. */
  const int first = sum->first, end = LEAST(sum->last + 3, LIMBS);
  for (int i = first; i < end; i++) {
    const int64_t whole = limb[i] + carried;
    limb[i] = whole & 0xffffffff;
    carried = (whole - limb[i]) / ((int64_t)1 << 32);
  }
  const int negative = carried < 0;
  if (negative) { /* two's complement */
    carried = 1;
    for (int i = first; i < end; i++) {
      const int64_t whole = (~limb[i] & 0xffffffff) + carried;
      limb[i] = whole & 0xffffffff;
      carried = whole >> 32;
    }
  }
  int top = end - 1;
  while (top > 0 && !limb[top]) top--;
  uint64_t leading = (uint64_t)limb[top] << 32 | (uint64_t)(top ? limb[top - 1] : 0);
  if (!leading) return 0.0;
  const uint64_t next = top > 1 ? (uint64_t)limb[top - 2] : 0;
  int shift = 0;
  while (!(leading << shift >> 63)) shift++;
  leading = leading << shift | next >> (32 - shift);
  int more = (next << shift & 0xffffffff) != 0;
  for (int i = first; i < top - 2; i++) more |= limb[i] != 0;
  uint64_t digits = leading >> 11;
  const uint64_t rest = leading & 0x7ff;
  digits += rest > 0x400 || (rest == 0x400 && (more || (digits & 1)));
  const double found = ldexp((double)digits, 32 * (top - 1) - shift + 11 - 1074);
  return negative ? -found : found;
}

/* The sum of n finite doubles. */
static double sum_exactly(const double *values, int64_t n) {
  exact sum;
  open_sum(&sum, n);
  for (int64_t i = 0; i < n; i++) add_exactly(&sum, values[i]);
  return rounded_once(&sum);
}

/* The sum of the F1 of n classes; -1 where a ratio would be rounded twice. */
static double f1_exactly(const int64_t *restrict tp, const int64_t *restrict predicted, const int64_t *restrict actual,
                         int64_t n, double undefined) {
  exact sum;
  open_sum(&sum, n);
  int sound = 1;
  for (int64_t c = 0; c < n; c++) {
    const int64_t below = predicted[c] + actual[c];
    sound &= (below >= 0) & (below < (int64_t)1 << 53) & (tp[c] >= 0) & (2 * tp[c] <= below);
    add_exactly(&sum, below ? 2.0 * (double)tp[c] / (double)below : undefined);
  }
  const double total = rounded_once(&sum);
  return sound ? total : -1.0;
}

#endif
