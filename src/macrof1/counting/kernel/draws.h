/* Sums of draws: how often each pattern of rows was drawn in each resample, added up per code.

   Draws are small integers, mostly 0 to 3, so that bytes hold them, and 64 of them are added at once. */

#ifndef MACROF1_DRAWS_H
#define MACROF1_DRAWS_H

#include "histogram.h"

/* Add rows of draws to the rows of their codes, a strip of columns at a time, so that all sums of a strip stay in the
   nearest cache. */
FOR_EVERY_CPU static void add_rows(const float *restrict draws, const int64_t *at, const int64_t *codes, int64_t n,
                                   int64_t width, float *restrict sums) {
  for (int64_t first = 0; first < width; first += BLOCK)
    for (int64_t i = 0; i < n; i++) {
      const float *restrict from = draws + at[i] * width;
      float *restrict to = sums + codes[i] * width;
      for (int64_t k = first; k < LEAST(width, first + BLOCK); k++) to[k] += from[k];
    }
}

/* Add the bytes of a strip to the floats of a code, and clear them. */
INLINE void empty_strip(uint8_t *restrict strip, int64_t size, float *restrict to) {
  for (int64_t k = 0; k < size; k++) to[k] += strip[k];
  memset(strip, 0, BLOCK);
}

/* Turn a strip of draws (resamples x patterns) to lie pattern by pattern. */
INLINE void turn_strip(const uint8_t *restrict draws, int64_t n_patterns, int64_t size, uint8_t *restrict turned) {
  for (int64_t tile = 0; tile < n_patterns; tile += 64)
    for (int64_t k = 0; k < size; k++)
      for (int64_t p = tile; p < LEAST(tile + 64, n_patterns); p++)
        turned[p * BLOCK + k] = draws[k * n_patterns + p];
}

/* Add bytes, none above `most`, of the resamples from `first` on to the sums (entries x labels x resamples). An entry is
   the patterns `at` and their `labels` from one of `starts` to the next. They are summed in bytes per label (`strips`),
   which are emptied into the floats before they can overflow (`room` counts how many still fit). */
FOR_EVERY_CPU static void add_strip(const uint8_t *restrict draws, int64_t n_patterns, int64_t first, int64_t width,
                                    const int64_t *at, const int64_t *labels, const int64_t *starts, int64_t n_entries,
                                    int64_t n_labels, int64_t most, float *restrict sums, uint8_t *restrict turned,
                                    uint8_t *restrict strips, uint8_t *restrict room) {
  const uint8_t fit = (uint8_t)(255 / most);
  const int64_t size = LEAST(BLOCK, width - first);
  turn_strip(draws + first * n_patterns, n_patterns, size, turned);
  memset(strips, 0, (size_t)n_labels * BLOCK);
  for (int64_t entry = 0; entry < n_entries; entry++) {
    float *restrict own = sums + entry * n_labels * width + first;
    memset(room, fit, (size_t)n_labels);
    for (int64_t i = starts[entry]; i < starts[entry + 1]; i++) {
      const uint8_t *restrict from = turned + at[i] * BLOCK;
      uint8_t *restrict to = strips + labels[i] * BLOCK;
      for (int64_t k = 0; k < BLOCK; k++) to[k] += from[k];
      if (SELDOM(--room[labels[i]] == 0)) {
        empty_strip(to, size, own + labels[i] * width);
        room[labels[i]] = fit;
      }
    }
    for (int64_t label = 0; label < n_labels; label++)
      if (room[label] != fit) empty_strip(strips + label * BLOCK, size, own + label * width);
  }
}

/* Sum the precision, recall and F of the classes `at`, and how many of them have rows, for each resample from first to
   last: sums is 4 x resamples. Counts are those of `base` (a number per class) with `plus` and without `minus` (classes x
   resamples; NULL for none). A ratio without rows is `undefined`. Classes are added in turn, as NumPy does, so that the
   sums are the same to the bit. */
FOR_EVERY_CPU static void sum_ratios(const int64_t *at, int64_t n_at, int64_t width, int64_t first, int64_t last,
                                     const double *const base[3], const float *const plus[3],
                                     const float *const minus[3], double square, double undefined,
                                     double *restrict sums) {
  double *restrict precision = sums, *restrict recall = sums + width, *restrict f = sums + 2 * width;
  double *restrict n_seen = sums + 3 * width;
  for (int64_t from = first; from < last; from += BLOCK) {
    const int64_t size = LEAST(last - from, BLOCK);
    for (int64_t i = 0; i < n_at; i++) {
      double counts[3][BLOCK];
      for (int side = 0; side < 3; side++) {
        const int64_t start = at[i] * width + from;
        for (int64_t k = 0; k < size; k++) counts[side][k] = base[side][at[i]];
        for (int64_t k = 0; plus[side] && k < size; k++) counts[side][k] += plus[side][start + k];
        for (int64_t k = 0; minus[side] && k < size; k++) counts[side][k] -= minus[side][start + k];
      }
      for (int64_t k = 0; k < size; k++) {
        const double tp = counts[0][k], predicted = counts[1][k], actual = counts[2][k];
        const double below = predicted + square * actual;
        const int none = predicted + actual == 0;
        precision[from + k] += predicted == 0 ? undefined : tp / (predicted == 0 ? 1 : predicted);
        recall[from + k] += actual == 0 ? undefined : tp / (actual == 0 ? 1 : actual);
        f[from + k] += none ? undefined : (1 + square) * tp / (below == 0 ? 1 : below);
        n_seen[from + k] += none ? 0 : 1;
      }
    }
  }
}

/* Count how often each pattern was picked, resample by resample; return the largest count, or -1 if one does not fit
   into a byte or a pick names no pattern. */
static int64_t count_picks(const uint32_t *picked, const int64_t *drawn, int64_t n_resamples, int64_t n_patterns,
                           uint32_t *restrict counts, uint8_t *restrict draws) {
  uint32_t most = 0;
  for (int64_t resample = 0; resample < n_resamples; resample++) {
    memset(counts, 0, (size_t)n_patterns * sizeof(uint32_t));
    for (int64_t i = 0; i < drawn[resample]; i++) {
      if (SELDOM(picked[i] >= n_patterns)) return -1;
      counts[picked[i]]++;
    }
    picked += drawn[resample];
    for (int64_t p = 0; p < n_patterns; p++) {
      most = counts[p] > most ? counts[p] : most;
      draws[resample * n_patterns + p] = (uint8_t)counts[p];
    }
    if (most > 255) return -1;
  }
  return most;
}

#endif
