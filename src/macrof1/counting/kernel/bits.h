/* Counting the bits of each column in rows of bits, 64 bits or four times 16 bits to a word.

   A word of `ones` is the sum of the words so far without carry, one of `twos` the sum of what it carried, and so on:
   three words in, one sum and one carry out, for all rows and columns of a word at once. Only the carry out of eight
   words is counted column by column. */

#ifndef MACROF1_BITS_H
#define MACROF1_BITS_H

#define PIECE 256        /* rows */
#define MOST_PIECES 8191 /* so many cannot overflow a counter of 16 bits */
#define LANES 8
#define STEP (8 * LANES) /* words */

/* Of each: hits, predicted, actual. */
typedef struct {
  uint64_t ones[3][LANES], twos[3][LANES], fours[3][LANES], eights[64][3][LANES];
} bit_counts;

/* Add two words to the sum; what is carried comes back. */
INLINE uint64_t carry(uint64_t *sum, uint64_t a, uint64_t b) {
  const uint64_t half = *sum ^ a, carried = (*sum & a) | (half & b);
  *sum = half ^ b;
  return carried;
}

/* Add eight times LANES words; what is left is the eights. */
INLINE void add_words(const uint64_t *restrict words, uint64_t *restrict ones, uint64_t *restrict twos,
                      uint64_t *restrict fours, uint64_t *restrict eights) {
  for (int j = 0; j < LANES; j++) {
    const uint64_t *w = words + j;
    const uint64_t a = carry(&ones[j], w[0], w[LANES]), b = carry(&ones[j], w[2 * LANES], w[3 * LANES]);
    const uint64_t c = carry(&ones[j], w[4 * LANES], w[5 * LANES]), d = carry(&ones[j], w[6 * LANES], w[7 * LANES]);
    const uint64_t e = carry(&twos[j], a, b), f = carry(&twos[j], c, d);
    eights[j] = carry(&fours[j], e, f);
  }
}

INLINE void add_bits(const uint64_t *restrict gold, const uint64_t *restrict pred, int64_t n, int wide,
                     bit_counts *restrict counts) {
  const uint64_t first = wide ? 1 : 0x0001000100010001;
  uint64_t eights[3][LANES], hits[STEP];
  for (int i = 0; i < STEP; i++) hits[i] = gold[i] & pred[i];
  add_words(hits, counts->ones[0], counts->twos[0], counts->fours[0], eights[0]);
  add_words(pred, counts->ones[1], counts->twos[1], counts->fours[1], eights[1]);
  add_words(gold, counts->ones[2], counts->twos[2], counts->fours[2], eights[2]);
  for (int64_t c = 0; c < n; c++)
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < LANES; j++) counts->eights[c][k][j] += eights[k][j] >> c & first;
}

/* Add the counts of n columns to the totals: hits, predicted and actual as three rows. */
static void unfold_bits(const bit_counts *counts, int64_t n, int wide, int64_t *total) {
  const uint64_t first = wide ? 1 : 0x0001000100010001;
  for (int k = 0; k < 3; k++)
    for (int64_t c = 0; c < n; c++)
      for (int j = 0; j < LANES; j++) {
        const uint64_t sum = (counts->ones[k][j] >> c & first) + 2 * (counts->twos[k][j] >> c & first) +
                             4 * (counts->fours[k][j] >> c & first) + 8 * counts->eights[c][k][j];
        if (wide) total[k * n + c] += (int64_t)sum;
        else
          for (int part = 0; part < 64; part += 16) total[k * n + c] += (int64_t)(sum >> part & 0xffff);
      }
}

#endif
