/* Counting pairs of codes of one type; histogram.h includes this once per type.

   T: type of the codes; U, S: unsigned and signed type that the range check works in; NAME(x): name of a function.
   A code d is inside 0..limit when neither d nor limit - d has its sign bit set. */

FOR_EVERY_CPU static void NAME(extremes)(const void *codes, int64_t rows, int64_t *low, uint64_t *high) {
  const T *c = codes;
  T least = c[0], most = c[0];
  for (int64_t i = 1; i < rows; i++) {
    least = c[i] < least ? c[i] : least;
    most = c[i] > most ? c[i] : most;
  }
  *low = least < 0 ? (int64_t)least : (int64_t)LEAST((uint64_t)least, (uint64_t)INT64_MAX);
  *high = most < 0 ? 0 : (uint64_t)most;
}

#define LINE (64 / (int64_t)sizeof(T)) /* codes in a line of the cache */

INLINE void NAME(fetch)(const T *gold, const T *pred, int64_t row) {
  FETCH(gold + row);
  FETCH(pred + row);
}

/* Bring a block of codes to 0, 1, …; 1 when one is out of range. */
INLINE int NAME(split)(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low,
                                     uint32_t n, uint32_t *restrict g, uint32_t *restrict p) {
  const U first = (U)low, most = n - 1;
  U outside = 0;
  for (int64_t i = 0; i < rows; i++) {
    U d = (U)gold[i] - first, e = (U)pred[i] - first;
    outside |= d | (most - d) | e | (most - e);
    g[i] = (uint32_t)d;
    p[i] = (uint32_t)e;
  }
  return (S)outside < 0;
}

/* Combine a block of codes to cells of a table; 1 when one is out of range. */
INLINE int NAME(cells)(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low,
                                     uint32_t n_gold, uint32_t n_pred, uint32_t *restrict cell) {
  const U first = (U)low, most_gold = n_gold - 1, most_pred = n_pred - 1;
  U outside = 0;
  for (int64_t i = 0; i < rows; i++) {
    U d = (U)gold[i] - first, e = (U)pred[i] - first;
    outside |= d | (most_gold - d) | e | (most_pred - e);
    cell[i] = (uint32_t)d * n_pred + (uint32_t)e;
  }
  return (S)outside < 0;
}

/* Two classes: three sums tell all four cells, as fast as memory is read. */
FOR_EVERY_CPU static int NAME(two)(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low,
                                   int64_t *total) {
  const U first = (U)low;
  int64_t golds = 0, preds = 0, both = 0;
  for (int64_t start = 0; start < rows; start += SEGMENT) {
    const int64_t end = LEAST(rows, start + SEGMENT);
    U outside = 0, g = 0, p = 0, b = 0;
    for (int64_t i = start; i < end; i++) {
      U d = (U)gold[i] - first, e = (U)pred[i] - first;
      outside |= d | e;
      g += d;
      p += e;
      b += d & e;
    }
    if (outside > 1) return 1;
    golds += (int64_t)g;
    preds += (int64_t)p;
    both += (int64_t)b;
  }
  total[0] += rows - golds - preds + both;
  total[1] += preds - both;
  total[2] += golds - both;
  total[3] += both;
  return 0;
}

/* As `cells`, but right rows go to private counters behind the table, n_pred for each copy. */
INLINE int NAME(cells_and_hits)(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low,
                                uint32_t n_gold, uint32_t n_pred, uint32_t *restrict cell) {
  const U first = (U)low, most_gold = n_gold - 1, most_pred = n_pred - 1;
  const uint32_t size = n_gold * n_pred;
  U outside = 0;
  for (int64_t i = 0; i < rows; i++) {
    const U d = (U)gold[i] - first, e = (U)pred[i] - first;
    const uint32_t g = (uint32_t)d, p = (uint32_t)e;
    outside |= d | (most_gold - d) | e | (most_pred - e);
    cell[i] = g == p ? size + (uint32_t)i % COPIES * n_pred + g : g * n_pred + p;
  }
  return (S)outside < 0;
}

/* Count into one table of bytes. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(large_table)(const T *gold, const T *pred, int64_t rows, int64_t low, uint32_t n_gold,
                                           uint32_t n_pred, int64_t *total, uint8_t *counters) {
  const size_t size = (size_t)n_gold * n_pred, all = table_bytes(n_gold, n_pred, rows);
  uint32_t cell[BLOCK];
  memset(counters, 0, all);
  for (int64_t start = 0; start < rows; start += BLOCK) {
    const int64_t n = LEAST(rows - start, BLOCK);
    if (NAME(cells_and_hits)(gold + start, pred + start, n, low, n_gold, n_pred, cell)) return 1;
    int64_t i = 0;
    for (; i + LINE <= n; i += LINE) {
      if (start + i + AHEAD < rows) NAME(fetch)(gold, pred, start + i + AHEAD);
      for (int64_t k = i; k < i + LINE; k++) add_byte(cell[k], size, n_pred, counters, total);
    }
    for (; i < n; i++) add_byte(cell[i], size, n_pred, counters, total);
  }
  for (size_t c = 0; c < size; c++) total[c] += counters[c];
  for (size_t c = 0; size + c < all; c++)
    if (counters[size + c]) total[c % n_pred * ((size_t)n_pred + 1)] += counters[size + c];
  return 0;
}

/* Count into n_gold x n_pred cells, with as many counters as `table_bytes` says. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(table)(const void *gold_, const void *pred_, int64_t rows, int64_t low, uint32_t n_gold,
                                     uint32_t n_pred, int64_t *total, void *counters_) {
  const T *gold = gold_, *pred = pred_;
  const size_t size = (size_t)n_gold * n_pred;
  if (n_gold == 2 && n_pred == 2) return NAME(two)(gold, pred, rows, low, total);
  if (size > MOST_WIDE_CELLS) return NAME(large_table)(gold, pred, rows, low, n_gold, n_pred, total, counters_);
  uint16_t *counters = counters_;
  const int pairs = in_pairs(size, rows);
  uint32_t cell[BLOCK];
  for (int64_t segment = 0; segment < rows; segment += FULL) {
    const int64_t end = LEAST(rows, segment + FULL);
    memset(counters, 0, table_bytes(n_gold, n_pred, rows));
    for (int64_t start = segment; start < end; start += BLOCK) {
      const int64_t n = LEAST(end - start, BLOCK);
      if (NAME(cells)(gold + start, pred + start, n, low, n_gold, n_pred, cell)) return 1;
      if (!pairs) add_cells(cell, n, size, counters);
      else if (n == BLOCK) add_pairs(cell, (uint32_t)size, counters);
      else
        for (int64_t i = 0; i < n; i++) total[cell[i]]++;
    }
    if (pairs) unfold_pairs(counters, size, total);
    else unfold_cells(counters, size, total);
  }
  return 0;
}

/* Count margins and hits into bytes. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(large_margins)(const T *gold, const T *pred, int64_t rows, int64_t low, uint32_t n,
                                             int64_t *tp, int64_t *predicted, int64_t *actual, uint8_t *of_gold) {
  uint8_t *of_pred = of_gold + 2 * (size_t)n; /* a missed and a hit counter per class come first, side by side */
  uint32_t g[BLOCK], p[BLOCK];
  memset(of_gold, 0, 3 * (size_t)n);
  for (int64_t start = 0; start < rows; start += BLOCK) {
    const int64_t m = LEAST(rows - start, BLOCK);
    if (NAME(split)(gold + start, pred + start, m, low, n, g, p)) return 1;
    for (int64_t i = 0; i < m; i++) g[i] = 2 * g[i] + (g[i] == p[i]);
    for (int64_t i = 0; i < m; i += LINE) {
      if (start + i + AHEAD < rows) NAME(fetch)(gold, pred, start + i + AHEAD);
      for (int64_t k = i; k < LEAST(m, i + LINE); k++) {
        if (SELDOM(!++of_gold[g[k]])) {
          actual[g[k] / 2] += 256;
          if (g[k] % 2) tp[g[k] / 2] += 256;
        }
        if (SELDOM(!++of_pred[p[k]])) predicted[p[k]] += 256;
      }
    }
  }
  for (size_t c = 0; c < n; c++) {
    actual[c] += of_gold[2 * c] + of_gold[2 * c + 1];
    tp[c] += of_gold[2 * c + 1];
    predicted[c] += of_pred[c];
  }
  return 0;
}

/* Count margins and hits of n classes, with as many counters as `margin_bytes` says. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(margins)(const void *gold_, const void *pred_, int64_t rows, int64_t low, uint32_t n,
                                       int64_t *tp, int64_t *predicted, int64_t *actual, void *counters_) {
  const T *gold = gold_, *pred = pred_;
  if (n > MOST_WIDE_CLASSES)
    return NAME(large_margins)(gold, pred, rows, low, n, tp, predicted, actual, counters_);
  uint16_t *counters = counters_;
  uint32_t g[BLOCK], p[BLOCK];
  for (int64_t segment = 0; segment < rows; segment += FULL) {
    const int64_t end = LEAST(rows, segment + FULL);
    memset(counters, 0, margin_bytes(n));
    for (int64_t start = segment; start < end; start += BLOCK) {
      const int64_t m = LEAST(end - start, BLOCK);
      if (NAME(split)(gold + start, pred + start, m, low, n, g, p)) return 1;
      for (int64_t i = 0; i < m; i++) {
        g[i] += n * (g[i] == p[i]);
        p[i] += 2 * n;
      }
      for (int64_t i = 0; i < m; i++) {
        counters[g[i]]++;
        counters[p[i]]++;
      }
    }
    unfold_margins(counters, n, tp, predicted, actual);
  }
  return 0;
}

/* Sum weights into n_gold x n_pred cells, in the order of the rows. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(weighted)(const void *gold_, const void *pred_, const double *weight, int64_t rows, int64_t low,
                          uint32_t n_gold, uint32_t n_pred, double *total) {
  const T *gold = gold_, *pred = pred_;
  uint32_t cell[BLOCK];
  for (int64_t start = 0; start < rows; start += BLOCK) {
    const int64_t n = LEAST(rows - start, BLOCK);
    if (NAME(cells)(gold + start, pred + start, n, low, n_gold, n_pred, cell)) return 1;
    for (int64_t i = 0; i < n; i++) total[cell[i]] += weight[start + i];
  }
  return 0;
}

#undef T
#undef U
#undef S
#undef NAME
#undef LINE
