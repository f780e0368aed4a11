/* Counting pairs of codes of one type; histogram.h includes this once per type.

   T: type of the codes; N: the same without a sign; U, S: unsigned and signed type that the range check works in;
   NAME(x): name of a function.
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

/* Find the counters of a block of codes: of gold and hit side by side, and of predicted, for `room` classes. A right row
   may have a spare counter instead of that of its prediction. Add to *mark a hash of the pairs, which tells whether
   codes were paired otherwise with the same margins. 1 when a code lies beyond the room. */
INLINE int NAME(split)(const T *restrict gold, const T *restrict pred, int64_t rows, int64_t low, uint32_t room,
                       int spare, uint32_t *restrict g, uint32_t *restrict p, uint32_t *mark) {
  const U first = (U)low;
  U all = 0;
  uint32_t sum = 0;
  for (int64_t i = 0; i < rows; i++) {
    const U d = (U)gold[i] - first, e = (U)pred[i] - first;
    all |= d | e;
    g[i] = 2 * (uint32_t)d + (d == e);
    p[i] = spare && d == e ? room + (uint32_t)i % SPARE : (uint32_t)e;
    sum += ((uint32_t)d * 0x9E3779B1u >> 8) * (uint32_t)e;
  }
  *mark += sum;
  return all >= room;
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

/* Whether the n codes from low on are all of type T, so that differences can be taken in it without wrapping into 0..n-1.
 */
INLINE int NAME(fits)(int64_t low, int64_t n) {
  return (int64_t)(T)low == low && (int64_t)(T)(low + n - 1) == low + n - 1;
}

#ifdef VECTORS
typedef N NAME(vector) __attribute__((vector_size(64)));

/* Pack `pieces` lines of codes into one, `width` bits each, and add the bits of the codes to those of all. The order of
   rows changes, for gold and predicted alike. */
INLINE void NAME(pack)(const T *codes, int64_t low, unsigned pieces, unsigned width, void *packed, NAME(vector) * all) {
  NAME(vector) line = {0};
  for (unsigned k = 0; k < pieces; k++) {
    NAME(vector) code;
    memcpy(&code, codes + k * LINE, sizeof code);
    code -= (N)low;
    *all |= code;
    line |= code << width * k;
  }
  memcpy(packed, &line, sizeof line);
}

/* The largest code, or a larger number below the next power of 2. */
INLINE N NAME(most)(const NAME(vector) * all) {
  N most = 0;
  for (int i = 0; i < LINE; i++) most |= (*all)[i];
  return most;
}
#endif

#ifdef SLICED
/* Count rows, from *done up to the last whole slice, into n_gold x n_pred cells, both at most MOST_SLICED, and write
   where they end to *done. 1 when a code is out of range. */
WITH_BIT_COUNTS static int NAME(table_of_slices)(const T *gold, const T *pred, int64_t rows, int64_t low,
                                                 uint32_t n_gold, uint32_t n_pred, int64_t *total, int64_t *done) {
  const uint32_t size = n_gold * n_pred;
  bits golds[SETS][MOST_SLICED], preds[SETS][MOST_SLICED], cells[MOST_SLICED * MOST_SLICED];
  int64_t row = *done, counted = row;
  memset(cells, 0, size * sizeof(bits));
  for (; row + SLICE <= rows; row += SLICE) {
    NAME(vector) all = {0};
    for (int s = 0; s < SETS; s++) {
      bits g[4], p[4];
      for (int k = 0; k < 4; k++) {
        const int64_t at = row + s * SET + k * (SET / 4);
        NAME(pack)(gold + at, low, 2 * sizeof(T), 4, &g[k], &all);
        NAME(pack)(pred + at, low, 2 * sizeof(T), 4, &p[k], &all);
      }
      class_bits(g, n_gold, golds[s]);
      class_bits(p, n_pred, preds[s]);
    }
    if (NAME(most)(&all) >= MOST_SLICED) return 1;
    add_common(golds, preds, n_gold, n_pred, cells);
  }
  for (uint32_t c = 0; c < size; c++)
    for (int i = 0; i < 8; i++) {
      total[c] += (int64_t)cells[c][i];
      counted += (int64_t)cells[c][i];
    }
  *done = row;
  return counted != row; /* a code below 16 that is none of the classes */
}
#endif

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

#ifdef VECTORS
/* The same for a whole block and at most 2^16 cells of up to 256 classes: codes become bytes first. */
INLINE int NAME(packed_cells_and_hits)(const T *restrict gold, const T *restrict pred, int64_t low, uint32_t n_gold,
                                       uint32_t n_pred, uint32_t *restrict cell) {
  const uint8_t most_gold = (uint8_t)(n_gold - 1), most_pred = (uint8_t)(n_pred - 1);
  const uint32_t size = n_gold * n_pred;
  uint8_t g[BLOCK], p[BLOCK], outside = 0;
  NAME(vector) all = {0};
  for (int i = 0; i < BLOCK; i += 64) {
    NAME(pack)(gold + i, low, sizeof(T), 8, g + i, &all);
    NAME(pack)(pred + i, low, sizeof(T), 8, p + i, &all);
  }
  for (int i = 0; i < BLOCK; i++) outside |= (g[i] > most_gold) | (p[i] > most_pred);
  for (int i = 0; i < BLOCK; i++) {
    const uint16_t inside = (uint16_t)((uint16_t)g[i] * (uint16_t)n_pred + p[i]);
    cell[i] = g[i] == p[i] ? size + (uint32_t)i % COPIES * n_pred + g[i] : inside;
  }
  return outside || NAME(most)(&all) > UINT8_MAX;
}
#endif

/* Count into one table of bytes. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(large_table)(const T *gold, const T *pred, int64_t rows, int64_t low, uint32_t n_gold,
                                           uint32_t n_pred, int64_t *total, uint8_t *counters) {
  const size_t size = (size_t)n_gold * n_pred, all = table_bytes(n_gold, n_pred, rows);
  uint32_t cell[BLOCK];
  memset(counters, 0, all);
#ifdef VECTORS
  const int narrow = n_gold <= 256 && n_pred <= 256 && NAME(fits)(low, n_gold > n_pred ? n_gold : n_pred);
#endif
  for (int64_t start = 0; start < rows; start += BLOCK) {
    const int64_t n = LEAST(rows - start, BLOCK);
#ifdef VECTORS
    if (narrow && n == BLOCK) {
      if (NAME(packed_cells_and_hits)(gold + start, pred + start, low, n_gold, n_pred, cell)) return 1;
    } else
#endif
      if (NAME(cells_and_hits)(gold + start, pred + start, n, low, n_gold, n_pred, cell))
      return 1;
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
  int64_t first = 0;
  uint32_t cell[BLOCK];
#ifdef SLICED
  /* Data beyond the caches is read faster in small steps. */
  if (rows >= SLICE && rows * (int64_t)sizeof(T) <= MOST_SLICED_BYTES && n_gold <= MOST_SLICED &&
      n_pred <= MOST_SLICED && NAME(fits)(low, n_gold > n_pred ? n_gold : n_pred) && counts_bits()) {
    /* Slices begin where a line of the cache does, so that a vector is never read from two. */
    first = (int64_t)(-(uintptr_t)gold % 64 / sizeof(T));
    if (NAME(cells)(gold, pred, first, low, n_gold, n_pred, cell)) return 1;
    for (int64_t i = 0; i < first; i++) total[cell[i]]++;
    if (NAME(table_of_slices)(gold, pred, rows, low, n_gold, n_pred, total, &first)) return 1;
  }
#endif
  uint16_t *counters = counters_;
  const int pairs = in_pairs(size, rows - first);
  for (int64_t segment = first; segment < rows; segment += FULL) {
    const int64_t end = LEAST(rows, segment + FULL);
    memset(counters, 0, table_bytes(n_gold, n_pred, rows - first));
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
                                             int64_t *tp, int64_t *predicted, int64_t *actual, uint32_t *mark,
                                             uint8_t *of_gold) {
  const uint32_t room = power_of_two(n);
  uint8_t *of_pred = of_gold + 2 * (size_t)room;
  uint32_t g[BLOCK], p[BLOCK];
  int beyond = 0;
  memset(of_gold, 0, margin_bytes(n));
  for (int64_t start = 0; start < rows; start += BLOCK) {
    const int64_t m = LEAST(rows - start, BLOCK);
    if (NAME(split)(gold + start, pred + start, m, low, room, 1, g, p, mark)) return 1;
    for (int64_t i = 0; i < m; i += LINE) {
      if (start + i + AHEAD < rows) NAME(fetch)(gold, pred, start + i + AHEAD);
      for (int64_t k = i; k < LEAST(m, i + LINE); k++) {
        if (SELDOM(!++of_gold[g[k]])) {
          const uint32_t c = g[k] / 2;
          if (c < n) {
            actual[c] += 256;
            if (g[k] % 2) {
              tp[c] += 256;
              predicted[c] += 256;
            }
          } else beyond = 1;
        }
        if (SELDOM(!++of_pred[p[k]])) {
          if (p[k] < n) predicted[p[k]] += 256;
          else if (p[k] < room) beyond = 1;
        }
      }
    }
  }
  for (size_t c = 0; c < n; c++) {
    actual[c] += of_gold[2 * c] + of_gold[2 * c + 1];
    tp[c] += of_gold[2 * c + 1];
    predicted[c] += of_pred[c] + of_gold[2 * c + 1];
  }
  for (size_t c = n; c < room; c++) beyond |= of_gold[2 * c] | of_gold[2 * c + 1] | of_pred[c];
  return beyond != 0;
}

/* Count margins and hits of n classes, with as many counters as `margin_bytes` says. 1 when a code is out of range. */
FOR_EVERY_CPU static int NAME(margins)(const void *gold_, const void *pred_, int64_t rows, int64_t low, uint32_t n,
                                       int64_t *tp, int64_t *predicted, int64_t *actual, uint32_t *mark,
                                       void *counters_) {
  const T *gold = gold_, *pred = pred_;
  if (n > MOST_WIDE_CLASSES)
    return NAME(large_margins)(gold, pred, rows, low, n, tp, predicted, actual, mark, counters_);
  const uint32_t room = power_of_two(n);
  uint16_t *of_gold = counters_, *of_pred = of_gold + 2 * room;
  uint32_t g[BLOCK], p[BLOCK];
  for (int64_t segment = 0; segment < rows; segment += FULL) {
    const int64_t end = LEAST(rows, segment + FULL);
    memset(of_gold, 0, margin_bytes(n));
    for (int64_t start = segment; start < end; start += BLOCK) {
      const int64_t m = LEAST(end - start, BLOCK);
      if (NAME(split)(gold + start, pred + start, m, low, room, 0, g, p, mark)) return 1;
      for (int64_t i = 0; i < m; i++) {
        of_gold[g[i]]++;
        of_pred[p[i]]++;
      }
    }
    if (unfold_margins(of_gold, of_pred, n, room, tp, predicted, actual)) return 1;
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
#undef N
#undef U
#undef S
#undef NAME
#undef LINE
