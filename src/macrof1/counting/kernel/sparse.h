/* Counting rows of sparse matrices as bits; histogram.h includes this once per type of their indices.

   T: type of the indices; U: the same without a sign; NAME(x): name of a function. */

/* Write each of at most PIECE rows as one bit per column, in 16 or 64 bits. sums has room for one more than the entries,
   which are at most `most`. 1 when the rows are not well formed. An entry given twice or beyond the last column leaves
   fewer bits than there are entries.

   Rows are short and of any length, so that a loop per row would be mispredicted again and again. Instead, the bits of
   all entries are summed up, and a row is the difference between the sums at its end and at its start. */
INLINE int NAME(row_bits)(const T *restrict starts, const T *restrict columns, int64_t n_entries, int64_t rows,
                          int64_t most, int wide, uint64_t *restrict sums, uint64_t *restrict bits) {
  const int64_t first = starts[0], last = starts[rows], n_here = last - first;
  uint64_t sum = 0, before = 0;
  int64_t i = 0;
  int backwards = 0;
  U all = 0;
  for (int64_t row = 0; row < rows; row++) backwards |= starts[row] > starts[row + 1];
  if (backwards || first < 0 || last > n_entries || n_here > most) return 1;
  columns += first;
  for (int64_t k = 0; k < n_here; k++) all |= (U)columns[k];
  if (all > 63) return 1;
  for (; i + 4 <= n_here; i += 4) {
    const uint64_t one = (uint64_t)1 << columns[i], two = one + ((uint64_t)1 << columns[i + 1]),
                   three = two + ((uint64_t)1 << columns[i + 2]);
    sums[i] = sum;
    sums[i + 1] = sum + one;
    sums[i + 2] = sum + two;
    sums[i + 3] = sum + three;
    sum += three + ((uint64_t)1 << columns[i + 3]);
  }
  for (; i < n_here; i++) {
    sums[i] = sum;
    sum += (uint64_t)1 << columns[i];
  }
  sums[n_here] = sum;
  for (int64_t row = 0; row < rows; row++) {
    const uint64_t after = sums[starts[row + 1] - first], row_wide = after - before;
    const uint16_t row_narrow = (uint16_t)row_wide;
    if (wide) bits[row] = row_wide;
    else memcpy((char *)bits + 2 * row, &row_narrow, 2);
    before = after;
  }
  return 0;
}

/* Add tp, predicted and actual of two sparse matrices in CSR form with n <= 64 columns, whose entries are all 1, to three
   rows. sums has room for PIECE * n + 1. 1 when the matrices are not well formed. */
FOR_EVERY_CPU static int NAME(sparse_sums)(const T *gold_starts, const T *gold, int64_t n_gold, const T *pred_starts,
                                           const T *pred, int64_t n_pred, int64_t rows, int64_t n, int64_t *total,
                                           uint64_t *sums) {
  const int wide = n > 16;
  bit_counts counts;
  for (int64_t segment = 0; segment < rows; segment += MOST_PIECES * PIECE) {
    const int64_t end = LEAST(rows, segment + MOST_PIECES * PIECE);
    memset(&counts, 0, sizeof counts);
    for (int64_t row = segment; row < end; row += PIECE) {
      uint64_t g[PIECE], p[PIECE];
      const int64_t here = LEAST(end - row, PIECE);
      if (here < PIECE) memset(g, 0, sizeof g), memset(p, 0, sizeof p);
      if (NAME(row_bits)(gold_starts + row, gold, n_gold, here, PIECE * n, wide, sums, g) ||
          NAME(row_bits)(pred_starts + row, pred, n_pred, here, PIECE * n, wide, sums, p))
        return 1;
      for (int at = 0; at < (wide ? PIECE : PIECE / 4); at += STEP) add_bits(g + at, p + at, n, wide, &counts);
    }
    unfold_bits(&counts, n, wide, total);
  }
  return 0;
}

#undef T
#undef U
#undef NAME
