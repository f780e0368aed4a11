/* Sums of F1 without rounding. */

#ifndef MACROF1_F1_H
#define MACROF1_F1_H

/* Add the F1 of n classes to three whole numbers, in units of 2^-44, 2^-88 and 2^-132. 1 when that is not exact.

   Scaling by a power of 2 and taking the whole part away are exact: nothing is rounded but the ratio itself. */
FOR_EVERY_CPU static int f1_parts(const int64_t *restrict tp, const int64_t *restrict predicted,
                                  const int64_t *restrict actual, int64_t n, double undefined,
                                  int64_t *restrict parts) {
  const double unit = (double)((int64_t)1 << 44);
  int64_t high = 0, middle = 0, low = 0;
  int inexact = 0;
  for (int64_t c = 0; c < n; c++) {
    const int64_t below = predicted[c] + actual[c];
    const double f1 = below ? 2.0 * (double)tp[c] / (double)below : undefined;
    const int sound = (below >= 0) & (below < (int64_t)1 << 53) & (f1 >= 0.0) & (f1 <= 1.0);
    double x = sound ? f1 * unit : 0.0;
    const int64_t first = (int64_t)x;
    x = (x - (double)first) * unit;
    const int64_t second = (int64_t)x;
    x = (x - (double)second) * unit;
    const int64_t third = (int64_t)x;
    inexact |= !sound | (x != (double)third);
    high += first;
    middle += second;
    low += third;
  }
  parts[0] = high;
  parts[1] = middle;
  parts[2] = low;
  return inexact;
}

#endif
