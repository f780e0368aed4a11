/* Sums of doubles that are rounded once, whatever the order: every double is a whole multiple of 2^-1074. */

#ifndef MACROF1_EXACT_H
#define MACROF1_EXACT_H

#include <float.h>
#include <math.h>
#include <string.h>

/* Limbs of 32 bits, the first in units of 2^-1074, with room for carries: 2^30 sums fit before any is carried on. */
#define LIMBS 68
#define MOST_SUMMANDS ((int64_t)1 << 30)
/* Up to 2^DOUBLINGS doubles are cut into parts at the same places, as whole numbers are into digits: sums of such
   parts need no rounding, whatever the order, so that many are added at once. */
#define DOUBLINGS 10
#define STRIP (1 << DOUBLINGS)
#define PARTS 3
#define WAYS 8

typedef struct {
  int64_t limb[LIMBS];
  int first, last; /* limbs in use */
} exact;

static void open_sum(exact *sum) {
  memset(sum->limb, 0, sizeof sum->limb);
  sum->first = LIMBS;
  sum->last = 0;
}

INLINE uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Add one double, digit by digit. */
INLINE void add_exactly(exact *sum, double x) {
  const uint64_t bits = bits_of(x);
  const int exponent = (int)(bits >> 52) & 0x7ff, place = exponent ? exponent - 1 : 0, at = place >> 5, by = place & 31;
  const uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
  const uint64_t low = (digits & 0xffffffff) << by, high = (digits >> 32) << by;
  const int64_t sign = bits >> 63 ? -1 : 1;
  int64_t *limb = sum->limb;
  if (at < sum->first) sum->first = at;
  if (at + 2 > sum->last) sum->last = at + 2;
  limb[at] += sign * (int64_t)(low & 0xffffffff);
  limb[at + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  limb[at + 2] += sign * (int64_t)(high >> 32);
}

#if defined(VECTORS) && FLT_EVAL_METHOD == 0 /* every double is rounded to a double */
typedef double doubles __attribute__((vector_size(8 * WAYS)));
typedef int64_t whole_numbers __attribute__((vector_size(8 * WAYS)));

/* Sum up a multiple of WAYS doubles in parts, at most STRIP of them; 0 where they differ too much in size. */
FOR_EVERY_CPU static int sum_parts(const double *values, int n, double *parts) {
  doubles x, ends[PARTS], sums[PARTS] = {{0.0}};
  whole_numbers size, most = {0}, rest = {0};
  for (int i = 0; i < n; i += WAYS) {
    memcpy(&size, values + i, sizeof size);
    size &= INT64_MAX; /* without its sign */
    const whole_numbers more = size > most;
    most = (size & more) | (most & ~more);
  }
  int64_t largest = 0, left = 0;
  for (int j = 0; j < WAYS; j++) largest = most[j] > largest ? most[j] : largest;
  /* No double is 2^(top - 1022) or larger. Adding and subtracting 1.5 * 2^k cuts off the digits below 2^(k - 52). */
  const int top = (int)(largest >> 52);
  if (top < 200 || top > 2000) return 0;
  for (int k = 0; k < PARTS; k++) {
    const uint64_t bits = (uint64_t)(top + DOUBLINGS + k * (DOUBLINGS - 54)) << 52 | (uint64_t)1 << 51;
    double end;
    memcpy(&end, &bits, sizeof end);
    ends[k] = end - (doubles){0.0};
  }
  for (int i = 0; i < n; i += WAYS) {
    memcpy(&x, values + i, sizeof x);
    for (int k = 0; k < PARTS; k++) {
      const doubles part = (ends[k] + x) - ends[k];
      sums[k] += part;
      x -= part;
    }
    rest |= x != 0.0;
  }
  for (int k = 0; k < PARTS; k++) parts[k] = 0.0;
  for (int j = 0; j < WAYS; j++) {
    left |= rest[j];
    for (int k = 0; k < PARTS; k++) parts[k] += sums[k][j];
  }
  return !left;
}
#else
static int sum_parts(const double *values, int n, double *parts) { return 0; }
#endif

static void add_all(exact *sum, const double *values, int64_t n) {
  double parts[PARTS];
  int64_t done = 0;
  while (n - done >= 4 * WAYS) {
    const int some = (int)(LEAST(n - done, STRIP) / WAYS * WAYS);
    if (sum_parts(values + done, some, parts))
      for (int k = 0; k < PARTS; k++) add_exactly(sum, parts[k]);
    else
      for (int i = 0; i < some; i++) add_exactly(sum, values[done + i]);
    done += some;
  }
  for (; done < n; done++) add_exactly(sum, values[done]);
}

/* The nearest double, ties to even. The sum is used up. */
static double rounded_once(exact *sum) {
  int64_t *limb = sum->limb, carried = 0;
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
  open_sum(&sum);
  add_all(&sum, values, n);
  return rounded_once(&sum);
}

/* Write the F1 of n classes; 0 where a ratio would be rounded twice. */
FOR_EVERY_CPU static int f1_of_classes(const int64_t *restrict tp, const int64_t *restrict predicted,
                                       const int64_t *restrict actual, int64_t n, double undefined,
                                       double *restrict scores) {
  int64_t wrong = 0;
  for (int64_t c = 0; c < n; c++) {
    const int64_t below = predicted[c] + actual[c];
    wrong |= below | tp[c] | (below - 2 * tp[c]) | (((int64_t)1 << 53) - 1 - below);
    const double score = 2.0 * (double)tp[c] / (double)(below + !below);
    scores[c] = below ? score : undefined;
  }
  return wrong >= 0; /* none of these numbers is negative */
}

/* The sum of the F1 of n classes; -1 where a ratio would be rounded twice. */
static double f1_exactly(const int64_t *tp, const int64_t *predicted, const int64_t *actual, int64_t n,
                         double undefined) {
  double scores[STRIP];
  exact sum;
  open_sum(&sum);
  if (n < 4 * WAYS) { /* not worth a call */
    for (int64_t c = 0; c < n; c++) {
      const int64_t below = predicted[c] + actual[c];
      if (below < 0 || below >> 53 || tp[c] < 0 || 2 * tp[c] > below) return -1.0;
      add_exactly(&sum, below ? 2.0 * (double)tp[c] / (double)below : undefined);
    }
    return rounded_once(&sum);
  }
  for (int64_t c = 0; c < n; c += STRIP) {
    const int64_t some = LEAST(n - c, STRIP);
    if (!f1_of_classes(tp + c, predicted + c, actual + c, some, undefined, scores)) return -1.0;
    add_all(&sum, scores, some);
  }
  return rounded_once(&sum);
}

/* Write the weight of each class in the gap, tp (predicted + actual) / (predicted * actual), and its shift against the
   heaviest one (scoring/gap.py). All products below are exact if no class has 2^26 rows; 0 where one has. */
FOR_EVERY_CPU static int lean(const int64_t *restrict tp, const int64_t *restrict predicted,
                              const int64_t *restrict actual, int64_t n, double *restrict weight,
                              double *restrict shift) {
  int64_t wrong = 0, heaviest = 0;
  for (int64_t c = 0; c < n; c++) {
    const int64_t both = predicted[c] + actual[c];
    wrong |= tp[c] | (predicted[c] - tp[c]) | (actual[c] - tp[c]) | (((int64_t)1 << 26) - 1 - both);
    const double p = (double)predicted[c], g = (double)actual[c], t = (double)tp[c];
    weight[c] = t * (p + g) / (p * g + (t == 0.0));
  }
  if (wrong < 0) return 0;
  for (int64_t c = 1; c < n; c++)
    if (weight[c] > weight[heaviest]) heaviest = c;
  const double p_ref = (double)predicted[heaviest], g_ref = (double)actual[heaviest], ref = p_ref + g_ref;
  for (int64_t c = 0; c < n; c++) {
    const double p = (double)predicted[c], g = (double)actual[c], none = weight[c] == 0.0;
    const double found = (g * p_ref - p * g_ref) / ((p + g) * ref + none);
    shift[c] = none ? 0.0 : found;
  }
  return 1;
}

#endif
