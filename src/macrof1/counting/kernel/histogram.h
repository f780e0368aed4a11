/* Counting pairs of integer codes: one pass over both columns, no temporary arrays.

   Rows are taken in blocks that stay in the first-level cache. The first loop over a block checks the range
   and combines the codes; it has no branches, so compilers turn it into vector instructions. The second loop
   counts, with as few stores as there can be:

   2 x 2 cells      three sums, no second loop
   <= 16 x 16       no second loop either where the processor counts bits (see slices.h); otherwise as follows
   <= 36 cells      two rows at a time: a counter per pair of cells, unfolded at the end
   <= 2048 cells    four private tables in turn: with one, equal neighbours would wait for each other's store
   more             one table of bytes, and private counters for the cells of right rows, which most rows share
   margins          gold and hit share a counter, so that a row costs two stores and not three; of many classes, whose
                    counters are bytes and miss the nearest cache, a right row touches only one

   Few counters have 16 bits, and are emptied into 64-bit totals before they overflow. Many have 8, so that the cache
   holds them, and add to the totals whenever one wraps round. Their cache misses keep the processor from reading ahead,
   so that codes are fetched ahead by hand. */

#ifndef MACROF1_HISTOGRAM_H
#define MACROF1_HISTOGRAM_H

#include <stdint.h>
#include <string.h>

#define BLOCK 128
#define SEGMENT ((int64_t)1 << 30)
#define FULL ((int64_t)65535 / BLOCK * BLOCK) /* so many rows cannot overflow a counter */
#define MOST_PAIRED_CELLS 36
#define MOST_WIDE_CELLS 2048
#define MOST_WIDE_CLASSES 2048
#define COPIES 4
#define AHEAD 256 /* rows */
#define SPARE 64  /* counters that take what need not be counted */

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define FOR_EVERY_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EVERY_CPU
#endif

#if defined(__GNUC__)
#define VECTORS 1 /* there are types for vectors, whatever the processor */
#define INLINE static inline __attribute__((always_inline))
#define FETCH(address) __builtin_prefetch(address)
#define SELDOM(condition) __builtin_expect(condition, 0)
#else
#define INLINE static inline
#define FETCH(address)
#define SELDOM(condition) (condition)
#endif

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

#include "slices.h"

/* Pairs pay where so many rows are counted that unfolding their counters does not matter. They never need less memory
   than copies do: what is left of the rows after slices may be too few for pairs. */
static int in_pairs(size_t size, int64_t rows) {
  return size >= COPIES && size <= MOST_PAIRED_CELLS && rows >= 4 * (int64_t)(size * size) && rows >= 4 * BLOCK;
}

/* How many bytes of counters a table needs. */
static size_t table_bytes(size_t n_gold, size_t n_pred, int64_t rows) {
  const size_t size = n_gold * n_pred;
  if (size > MOST_WIDE_CELLS) return size + COPIES * n_pred;
  return (in_pairs(size, rows) ? size * size : COPIES * size) * sizeof(uint16_t);
}

/* The smallest power of 2 that is not below n: with room for so many classes, a code beyond all of them has a bit too
   many, and one in between a counter that must be 0 in the end. */
static uint32_t power_of_two(size_t n) {
  uint32_t power = 1;
  while (power < n) power *= 2;
  return power;
}

/* How many bytes of counters the margins of n classes need. */
static size_t margin_bytes(size_t n) {
  return (3 * (size_t)power_of_two(n) + SPARE) * (n > MOST_WIDE_CLASSES ? sizeof(uint8_t) : sizeof(uint16_t));
}

INLINE void add_pairs(const uint32_t *cell, uint32_t size, uint16_t *counters) {
  uint32_t pair[BLOCK / 2];
  for (int i = 0; i < BLOCK / 2; i++) pair[i] = cell[i] * size + cell[i + BLOCK / 2];
  for (int i = 0; i < BLOCK / 2; i++) counters[pair[i]]++;
}

static void unfold_pairs(const uint16_t *counters, size_t size, int64_t *total) {
  for (size_t a = 0; a < size; a++)
    for (size_t b = 0; b < size; b++) {
      total[a] += counters[a * size + b];
      total[b] += counters[a * size + b];
    }
}

INLINE void add_cells(const uint32_t *cell, int64_t n, size_t size, uint16_t *counters) {
  int64_t i = 0;
  for (; i + COPIES <= n; i += COPIES) {
    counters[cell[i]]++;
    counters[size + cell[i + 1]]++;
    counters[2 * size + cell[i + 2]]++;
    counters[3 * size + cell[i + 3]]++;
  }
  for (; i < n; i++) counters[cell[i]]++;
}

/* Count into a byte; behind the table, right rows have private counters, n_pred for each copy. */
INLINE void add_byte(uint32_t cell, size_t size, size_t n_pred, uint8_t *counters, int64_t *total) {
  if (SELDOM(!++counters[cell])) total[cell < size ? cell : (cell - size) % n_pred * (n_pred + 1)] += 256;
}

FOR_EVERY_CPU static void unfold_cells(const uint16_t *restrict counters, size_t size, int64_t *restrict total) {
  for (size_t copy = 0; copy < COPIES; copy++)
    for (size_t c = 0; c < size; c++) total[c] += counters[copy * size + c];
}

/* 1 when a class beyond the last was counted. */
FOR_EVERY_CPU static int unfold_margins(const uint16_t *restrict of_gold, const uint16_t *restrict of_pred, size_t n,
                                        size_t room, int64_t *restrict tp, int64_t *restrict predicted,
                                        int64_t *restrict actual) {
  int beyond = 0;
  for (size_t c = 0; c < n; c++) {
    actual[c] += of_gold[2 * c] + of_gold[2 * c + 1];
    tp[c] += of_gold[2 * c + 1];
    predicted[c] += of_pred[c];
  }
  for (size_t c = n; c < room; c++) beyond |= of_gold[2 * c] | of_gold[2 * c + 1] | of_pred[c];
  return beyond != 0;
}

#define T int8_t
#define N uint8_t
#define U uint32_t
#define S int32_t
#define NAME(x) i1_##x
#include "histogram_of_type.h"

#define T uint8_t
#define N uint8_t
#define U uint32_t
#define S int32_t
#define NAME(x) u1_##x
#include "histogram_of_type.h"

#define T int16_t
#define N uint16_t
#define U uint32_t
#define S int32_t
#define NAME(x) i2_##x
#include "histogram_of_type.h"

#define T uint16_t
#define N uint16_t
#define U uint32_t
#define S int32_t
#define NAME(x) u2_##x
#include "histogram_of_type.h"

#define T int32_t
#define N uint32_t
#define U uint32_t
#define S int32_t
#define NAME(x) i4_##x
#include "histogram_of_type.h"

#define T uint32_t
#define N uint32_t
#define U uint32_t
#define S int32_t
#define NAME(x) u4_##x
#include "histogram_of_type.h"

#define T int64_t
#define N uint64_t
#define U uint64_t
#define S int64_t
#define NAME(x) i8_##x
#include "histogram_of_type.h"

#define T uint64_t
#define N uint64_t
#define U uint64_t
#define S int64_t
#define NAME(x) u8_##x
#include "histogram_of_type.h"

#include "bits.h"

#define T int32_t
#define U uint32_t
#define NAME(x) i4_##x
#include "sparse.h"

#define T int64_t
#define U uint64_t
#define NAME(x) i8_##x
#include "sparse.h"

/* Sum the columns of two indicator matrices of bytes, rows x k, and of their product. Many rows lie side by side in a
   strip, so that strips can be added with vector instructions whatever k is; 255 strips fit an 8-bit counter.
   scratch holds three strips. 1 when an entry is neither 0 nor 1. */
FOR_EVERY_CPU static int indicator_sums(const uint8_t *restrict gold, const uint8_t *restrict pred, int64_t rows,
                                        int64_t k, int64_t rows_per_strip, int64_t *restrict tp,
                                        int64_t *restrict predicted, int64_t *restrict actual,
                                        uint8_t *restrict scratch) {
  const int64_t strip = rows_per_strip * k, strips = rows / rows_per_strip;
  uint8_t *restrict t = scratch, *restrict p = scratch + strip, *restrict g = scratch + 2 * strip, entries = 0;
  for (int64_t first = 0; first < strips; first += 255) {
    const int64_t last = LEAST(strips, first + 255);
    memset(scratch, 0, 3 * (size_t)strip);
    for (int64_t s = first; s < last; s++) {
      const uint8_t *restrict gs = gold + s * strip, *restrict ps = pred + s * strip;
      for (int64_t i = 0; i < strip; i++) {
        t[i] += gs[i] & ps[i];
        p[i] += ps[i];
        g[i] += gs[i];
        entries |= gs[i] | ps[i];
      }
    }
    for (int64_t row = 0; row < rows_per_strip; row++)
      for (int64_t c = 0; c < k; c++) {
        tp[c] += t[row * k + c];
        predicted[c] += p[row * k + c];
        actual[c] += g[row * k + c];
      }
  }
  for (int64_t row = strips * rows_per_strip; row < rows; row++)
    for (int64_t c = 0; c < k; c++) {
      const uint8_t in_gold = gold[row * k + c], in_pred = pred[row * k + c];
      tp[c] += in_gold & in_pred;
      predicted[c] += in_pred;
      actual[c] += in_gold;
      entries |= in_gold | in_pred;
    }
  return entries > 1;
}

typedef struct {
  void (*extremes)(const void *, int64_t, int64_t *, uint64_t *);
  int (*table)(const void *, const void *, int64_t, int64_t, uint32_t, uint32_t, int64_t *, void *);
  int (*margins)(const void *, const void *, int64_t, int64_t, uint32_t, int64_t *, int64_t *, int64_t *,
                 uint32_t *, void *);
  int (*weighted)(const void *, const void *, const double *, int64_t, int64_t, uint32_t, uint32_t, double *);
} counting;

#define COUNTING(NAME) {NAME##_extremes, NAME##_table, NAME##_margins, NAME##_weighted}

/* By the width in bytes (1, 2, 4, 8) and whether there is a sign. */
static const counting COUNTINGS[4][2] = {{COUNTING(u1), COUNTING(i1)},
                                         {COUNTING(u2), COUNTING(i2)},
                                         {COUNTING(u4), COUNTING(i4)},
                                         {COUNTING(u8), COUNTING(i8)}};

#endif
