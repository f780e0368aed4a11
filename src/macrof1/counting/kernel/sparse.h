/* Rows of sparse matrices as bytes; histogram.h includes this once per type of their indices.

   T: type of the indices; U: the same without a sign; NAME(x): name of a function. */

/* Write rows of a sparse matrix in CSR form as bytes, 0 or 1; begins has room for all of them and AT_ONCE more. 1 when
   they are not well formed.

   Rows are short and of any length, so that a loop per row would be mispredicted again and again. Instead, where a row
   begins is written for some entries at once, of which those behind its end are overwritten by the rows that follow. */
FOR_EVERY_CPU static int NAME(spread)(const T *restrict starts, const T *restrict columns, int64_t n_entries,
                                      int64_t rows, int64_t n, uint8_t *restrict dense, uint32_t *restrict begins) {
  const int64_t first = starts[0], last = starts[rows], n_here = last - first;
  int backwards = 0;
  U most = 0;
  if (first < 0 || n_here < 0 || last > n_entries || n_here > rows * n) return 1;
  for (int64_t row = 0; row < rows; row++) backwards |= starts[row] > starts[row + 1];
  if (backwards) return 1;
  columns += first;
  for (int64_t i = 0; i < n_here; i++) most = (U)columns[i] > most ? (U)columns[i] : most;
  if (most >= (U)n) return 1;
  for (int64_t row = 0; row < rows; row++) {
    uint32_t *begin = begins + (starts[row] - first);
    for (int k = 0; k < AT_ONCE; k++) begin[k] = (uint32_t)(row * n);
    for (int64_t k = AT_ONCE; k < starts[row + 1] - starts[row]; k++) begin[k] = (uint32_t)(row * n);
  }
  memset(dense, 0, (size_t)(rows * n));
  for (int64_t i = 0; i < n_here; i++) dense[begins[i] + (uint32_t)columns[i]] = 1;
  return 0;
}

#undef T
#undef U
#undef NAME
