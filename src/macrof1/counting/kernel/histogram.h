/* Counting pairs of integer codes: one pass over both columns, no temporary arrays.

   Rows are taken in blocks that stay in the first-level cache. The first loop over a block checks the range
   and combines the codes; it has no branches, so compilers turn it into vector instructions. The second loop
   counts into four private tables in turn: with one table, equal neighbours would wait for each other's store.

   Counters have 32 bits and are emptied into 64-bit totals before they could overflow. */

#ifndef MACROF1_HISTOGRAM_H
#define MACROF1_HISTOGRAM_H

#include <stdint.h>
#include <string.h>

#define BLOCK 256
#define MOST_PRIVATE_CELLS 16384
#define SEGMENT ((int64_t)1 << 30)

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define FOR_EVERY_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EVERY_CPU
#endif

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

/* T: type of the codes; U, S: unsigned and signed type that the range check works in.
   A code d is inside 0..limit when neither d nor limit - d has its sign bit set. */
#define DEFINE_COUNTING(T, U, S, NAME)                                                                              \
                                                                                                                    \
  FOR_EVERY_CPU static void NAME##_extremes(const void *codes, int64_t rows, int64_t *low, uint64_t *high) {        \
    const T *c = codes;                                                                                             \
    T least = c[0], most = c[0];                                                                                    \
    for (int64_t i = 1; i < rows; i++) {                                                                            \
      least = c[i] < least ? c[i] : least;                                                                          \
      most = c[i] > most ? c[i] : most;                                                                             \
    }                                                                                                               \
    *low = least < 0 ? (int64_t)least : (int64_t)LEAST((uint64_t)least, (uint64_t)INT64_MAX);                       \
    *high = most < 0 ? 0 : (uint64_t)most;                                                                          \
  }                                                                                                                 \
                                                                                                                    \
  FOR_EVERY_CPU static int NAME##_split(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low,  \
                                        uint32_t n_gold, uint32_t n_pred, uint32_t *restrict g,                     \
                                        uint32_t *restrict p) {                                                     \
    const U first = (U)low, most_gold = n_gold - 1, most_pred = n_pred - 1;                                         \
    U outside = 0;                                                                                                  \
    for (int64_t i = 0; i < rows; i++) {                                                                            \
      U d = (U)gold[i] - first, e = (U)pred[i] - first;                                                             \
      outside |= d | (most_gold - d) | e | (most_pred - e);                                                         \
      g[i] = (uint32_t)d;                                                                                           \
      p[i] = (uint32_t)e;                                                                                           \
    }                                                                                                               \
    return (S)outside < 0;                                                                                          \
  }                                                                                                                 \
                                                                                                                    \
  FOR_EVERY_CPU static int NAME##_cells(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low,  \
                                        uint32_t n_gold, uint32_t n_pred, uint32_t *restrict cell) {                \
    const U first = (U)low, most_gold = n_gold - 1, most_pred = n_pred - 1;                                         \
    U outside = 0;                                                                                                  \
    for (int64_t i = 0; i < rows; i++) {                                                                            \
      U d = (U)gold[i] - first, e = (U)pred[i] - first;                                                             \
      outside |= d | (most_gold - d) | e | (most_pred - e);                                                         \
      cell[i] = (uint32_t)d * n_pred + (uint32_t)e;                                                                 \
    }                                                                                                               \
    return (S)outside < 0;                                                                                          \
  }                                                                                                                 \
                                                                                                                    \
  /* Count into n_gold x n_pred cells; scratch holds four such tables. 1 when a code is out of range. */            \
  static int NAME##_table(const void *gold_, const void *pred_, int64_t rows, int64_t low, uint32_t n_gold,         \
                          uint32_t n_pred, int64_t *total, uint32_t *scratch) {                                     \
    const T *gold = gold_, *pred = pred_;                                                                           \
    const size_t size = (size_t)n_gold * n_pred;                                                                    \
    /* Tables too large for the cache lie on top of each other: neighbours seldom meet in them. */                  \
    const size_t apart = size <= MOST_PRIVATE_CELLS ? size : 0;                                                     \
    uint32_t *t0 = scratch, *t1 = t0 + apart, *t2 = t1 + apart, *t3 = t2 + apart;                                   \
    uint32_t cell[BLOCK];                                                                                           \
    for (int64_t segment = 0; segment < rows; segment += SEGMENT) {                                                 \
      const int64_t end = LEAST(rows, segment + SEGMENT);                                                           \
      memset(scratch, 0, (size + 3 * apart) * sizeof *scratch);                                                     \
      for (int64_t start = segment; start < end; start += BLOCK) {                                                  \
        const int64_t n = LEAST(end - start, BLOCK);                                                                \
        if (NAME##_cells(gold + start, pred + start, n, low, n_gold, n_pred, cell)) return 1;                       \
        int64_t i = 0;                                                                                              \
        for (; i + 4 <= n; i += 4) {                                                                                \
          t0[cell[i]]++;                                                                                            \
          t1[cell[i + 1]]++;                                                                                        \
          t2[cell[i + 2]]++;                                                                                        \
          t3[cell[i + 3]]++;                                                                                        \
        }                                                                                                           \
        for (; i < n; i++) t0[cell[i]]++;                                                                           \
      }                                                                                                             \
      for (size_t c = 0; c < size; c++)                                                                             \
        total[c] += apart ? (int64_t)t0[c] + t1[c] + t2[c] + t3[c] : (int64_t)t0[c];                                \
    }                                                                                                               \
    return 0;                                                                                                       \
  }                                                                                                                 \
                                                                                                                    \
  /* Count margins and hits of n classes. The three counters of a class lie side by side: a row that is right       \
     touches one place in memory, a row that is wrong two. 1 when a code is out of range. */                        \
  static int NAME##_margins(const void *gold_, const void *pred_, int64_t rows, int64_t low, uint32_t n, int64_t *tp,\
                            int64_t *predicted, int64_t *actual, uint32_t *scratch) {                               \
    const T *gold = gold_, *pred = pred_;                                                                           \
    uint32_t g[BLOCK], p[BLOCK];                                                                                    \
    for (int64_t segment = 0; segment < rows; segment += SEGMENT) {                                                 \
      const int64_t end = LEAST(rows, segment + SEGMENT);                                                           \
      memset(scratch, 0, 3 * (size_t)n * sizeof *scratch);                                                          \
      for (int64_t start = segment; start < end; start += BLOCK) {                                                  \
        const int64_t m = LEAST(end - start, BLOCK);                                                                \
        if (NAME##_split(gold + start, pred + start, m, low, n, n, g, p)) return 1;                                 \
        for (int64_t i = 0; i < m; i++) {                                                                           \
          uint32_t *of_gold = scratch + 3 * (size_t)g[i], *of_pred = scratch + 3 * (size_t)p[i];                    \
          of_gold[0] += g[i] == p[i];                                                                               \
          of_pred[1]++;                                                                                             \
          of_gold[2]++;                                                                                             \
        }                                                                                                           \
      }                                                                                                             \
      for (size_t c = 0; c < n; c++) {                                                                              \
        tp[c] += scratch[3 * c];                                                                                    \
        predicted[c] += scratch[3 * c + 1];                                                                         \
        actual[c] += scratch[3 * c + 2];                                                                            \
      }                                                                                                             \
    }                                                                                                               \
    return 0;                                                                                                       \
  }                                                                                                                 \
                                                                                                                    \
  /* Sum weights into n_gold x n_pred cells, in the order of the rows. 1 when a code is out of range. */            \
  static int NAME##_weighted(const void *gold_, const void *pred_, const double *weight, int64_t rows, int64_t low, \
                             uint32_t n_gold, uint32_t n_pred, double *total) {                                     \
    const T *gold = gold_, *pred = pred_;                                                                           \
    uint32_t cell[BLOCK];                                                                                           \
    for (int64_t start = 0; start < rows; start += BLOCK) {                                                         \
      const int64_t n = LEAST(rows - start, BLOCK);                                                                 \
      if (NAME##_cells(gold + start, pred + start, n, low, n_gold, n_pred, cell)) return 1;                         \
      for (int64_t i = 0; i < n; i++) total[cell[i]] += weight[start + i];                                          \
    }                                                                                                               \
    return 0;                                                                                                       \
  }

DEFINE_COUNTING(int8_t, uint32_t, int32_t, i1)
DEFINE_COUNTING(uint8_t, uint32_t, int32_t, u1)
DEFINE_COUNTING(int16_t, uint32_t, int32_t, i2)
DEFINE_COUNTING(uint16_t, uint32_t, int32_t, u2)
DEFINE_COUNTING(int32_t, uint32_t, int32_t, i4)
DEFINE_COUNTING(uint32_t, uint32_t, int32_t, u4)
DEFINE_COUNTING(int64_t, uint64_t, int64_t, i8)
DEFINE_COUNTING(uint64_t, uint64_t, int64_t, u8)

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
  int (*table)(const void *, const void *, int64_t, int64_t, uint32_t, uint32_t, int64_t *, uint32_t *);
  int (*margins)(const void *, const void *, int64_t, int64_t, uint32_t, int64_t *, int64_t *, int64_t *, uint32_t *);
  int (*weighted)(const void *, const void *, const double *, int64_t, int64_t, uint32_t, uint32_t, double *);
} counting;

#define COUNTING(NAME) {NAME##_extremes, NAME##_table, NAME##_margins, NAME##_weighted}

/* By the width in bytes (1, 2, 4, 8) and whether there is a sign. */
static const counting COUNTINGS[4][2] = {{COUNTING(u1), COUNTING(i1)},
                                         {COUNTING(u2), COUNTING(i2)},
                                         {COUNTING(u4), COUNTING(i4)},
                                         {COUNTING(u8), COUNTING(i8)}};

#endif
