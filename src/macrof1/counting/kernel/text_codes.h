/* Codes of strings by what they hold, in the order in which they are first met; no Python object is made for a row. */

#ifndef MACROF1_TEXT_CODES_H
#define MACROF1_TEXT_CODES_H

#include <stdlib.h>
#include <string.h>

#define AT_ONCE 16 /* strings whose slots are fetched before the first is looked up */
#define MOST_TEXTS ((int64_t)1 << 30)

/* The first and the last eight bytes of a string, or all of a shorter one: up to 16 bytes, two strings of one size are
   equal if their ends are. */
typedef struct {
  uint64_t first, last;
} two_ends;

/* A distinct string, and the row in which it was first met. */
typedef struct {
  two_ends ends;
  int64_t size, row;
  const char *start;
  uint64_t hash;
} text;

/* A slot holds the upper half of a hash, and a code; -1 if it is empty. */
typedef struct {
  uint32_t tag;
  int32_t code;
} slot;

typedef struct {
  slot *slots;
  text *texts;
  uint64_t mask;
  int64_t n;
} book;

INLINE uint64_t eight_bytes(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Every bit of either word moves every bit of the result: names that differ in their last digit must not meet. */
INLINE uint64_t mixed(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  const unsigned __int128 x = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
  return (uint64_t)x ^ (uint64_t)(x >> 64);
#else
  uint64_t x = (a ^ b ^ b >> 32) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 29;
#endif
}

INLINE two_ends ends_of(const char *at, int64_t size) {
  two_ends ends = {0, 0};
  if (size >= 8) {
    ends.first = eight_bytes(at);
    ends.last = eight_bytes(at + size - 8);
  } else if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, at, 4);
    memcpy(&last, at + size - 4, 4);
    ends.last = (uint64_t)first << 32 | last;
  } else if (size > 0) {
    ends.last = (uint64_t)(uint8_t)at[0] << 16 | (uint64_t)(uint8_t)at[size >> 1] << 8 | (uint8_t)at[size - 1];
  }
  return ends;
}

INLINE uint64_t hash_of(const char *at, int64_t size, two_ends ends) {
  uint64_t hash = (uint64_t)size * 0xff51afd7ed558ccd ^ ends.first;
  /* What lies between the ends; the last words may overlap those before. */
  for (int64_t i = 8; i + 8 < size; i += 16)
    hash = mixed(hash ^ eight_bytes(at + i), eight_bytes(at + (i + 16 < size ? i + 8 : size - 8)));
  return mixed(hash, ends.last);
}

INLINE int same_text(const text *known, const char *start, int64_t size, two_ends ends) {
  if (known->size != size || known->ends.first != ends.first || known->ends.last != ends.last) return 0;
  for (int64_t i = 8; i + 8 < size; i += 8)
    if (eight_bytes(known->start + i) != eight_bytes(start + i)) return 0;
  return 1;
}

/* Make room for as many strings as a quarter of the slots, which are a power of 2. -1 without memory. */
static int resize_book(book *of, uint64_t n_slots) {
  slot *slots = malloc(n_slots * sizeof(slot));
  text *texts = realloc(of->texts, n_slots / 4 * sizeof(text));
  if (texts) of->texts = texts;
  if (!slots || !texts) {
    free(slots);
    return -1;
  }
  memset(slots, 0xff, n_slots * sizeof(slot));
  for (int64_t code = 0; code < of->n; code++) {
    uint64_t at = texts[code].hash & (n_slots - 1);
    while (slots[at].code >= 0) at = (at + 1) & (n_slots - 1);
    slots[at] = (slot){(uint32_t)(texts[code].hash >> 32), (int32_t)code};
  }
  free(of->slots);
  of->slots = slots;
  of->mask = n_slots - 1;
  return 0;
}

static int open_book(book *of) {
  memset(of, 0, sizeof *of);
  return resize_book(of, 4096);
}

static void close_book(book *of) {
  free(of->slots);
  free(of->texts);
}

/* The code of a string with this hash; a new one gets the next. -1 without memory, or for too many strings. */
INLINE int32_t code_of(book *of, uint64_t hash, const char *start, int64_t size, two_ends ends, int64_t row) {
  const uint32_t tag = (uint32_t)(hash >> 32);
  uint64_t at = hash & of->mask;
  for (;; at = (at + 1) & of->mask) {
    const slot found = of->slots[at];
    if (found.code < 0) break;
    if (found.tag == tag && same_text(&of->texts[found.code], start, size, ends)) return found.code;
  }
  const int64_t code = of->n++;
  of->texts[code] = (text){ends, size, row, start, hash};
  of->slots[at] = (slot){tag, (int32_t)code};
  if (of->n > MOST_TEXTS || (4 * (uint64_t)of->n > of->mask && resize_book(of, 4 * (of->mask + 1)))) return -1;
  return (int32_t)code;
}

/* Write the row in which each code was first met. */
static void first_rows(const book *of, int64_t *rows) {
  for (int64_t code = 0; code < of->n; code++) rows[code] = of->texts[code].row;
}

/* Write the codes of a few strings; those that are missing (NULL) have the code -1. -1 without memory. */
INLINE int codes_at_once(book *of, const char **starts, const int64_t *sizes, int n, int64_t row, int32_t *codes) {
  uint64_t hashes[AT_ONCE];
  two_ends ends[AT_ONCE];
  for (int i = 0; i < n; i++) {
    ends[i] = ends_of(starts[i], starts[i] ? sizes[i] : 0);
    hashes[i] = hash_of(starts[i], starts[i] ? sizes[i] : 0, ends[i]);
    FETCH(&of->slots[hashes[i] & of->mask]);
  }
  for (int i = 0; i < n; i++) {
    codes[i] = starts[i] ? code_of(of, hashes[i], starts[i], sizes[i], ends[i], row + i) : -1;
    if (SELDOM(codes[i] < 0 && starts[i])) return -1;
  }
  return 0;
}

/* Write the low bytes of up to 16 words of four bytes, such as characters; 0 if one of them holds more than that. */
INLINE int narrowed(const char *at, int64_t n_words, char *bytes) {
  uint64_t seen = 0;
  int64_t i = 0;
  for (; i + 2 <= n_words; i += 2) {
    const uint64_t two = eight_bytes(at + 4 * i);
    const uint16_t low = (uint16_t)(two | two >> 24);
    memcpy(bytes + i, &low, 2);
    seen |= two;
  }
  if (i < n_words) {
    uint32_t one;
    memcpy(&one, at + 4 * i, 4);
    bytes[i] = (char)one;
    seen |= one;
  }
  return !(seen & 0xffffff00ffffff00);
}

/* Write a code for each of n strings of one width. -1 without memory. */
static int fixed_codes(book *of, const char *data, int64_t n, int64_t width, int32_t *codes) {
  /* Up to 16 bytes, a string is known by its ends: what it starts at is never read again. Its size tells it from all
     that stay wide. */
  char narrow[AT_ONCE][16];
  const int64_t n_words = width % 4 || width > 64 ? 0 : width / 4;
  const char *starts[AT_ONCE];
  int64_t sizes[AT_ONCE];
  for (int64_t row = 0; row < n; row += AT_ONCE) {
    const int some = (int)LEAST(n - row, AT_ONCE);
    for (int i = 0; i < some; i++) {
      const char *start = data + (row + i) * width;
      const int fits = n_words && narrowed(start, n_words, narrow[i]);
      starts[i] = fits ? narrow[i] : start;
      sizes[i] = fits ? n_words : width;
    }
    if (codes_at_once(of, starts, sizes, some, row, codes + row)) return -1;
  }
  return 0;
}

/* The same for strings between two offsets each; a missing one (a bit of 0) has the code -1. -2 for bad offsets. */
#define SLICED_CODES(NAME, OFFSET)                                                                           \
  static int NAME(book *of, const char *data, int64_t length, const OFFSET *offsets, const uint8_t *valid,   \
                  int64_t bit, int64_t n, int32_t *codes) {                                                  \
    const char *starts[AT_ONCE];                                                                             \
    int64_t sizes[AT_ONCE];                                                                                  \
    for (int64_t row = 0; row < n; row += AT_ONCE) {                                                         \
      const int some = (int)LEAST(n - row, AT_ONCE);                                                         \
      for (int i = 0; i < some; i++) {                                                                       \
        const int64_t at = row + i, start = (int64_t)offsets[at], stop = (int64_t)offsets[at + 1];           \
        if (SELDOM(start < 0 || stop < start || stop > length)) return -2;                                   \
        const int there = !valid || (valid[(bit + at) >> 3] >> ((bit + at) & 7) & 1);                        \
        starts[i] = there ? data + start : NULL;                                                             \
        sizes[i] = stop - start;                                                                             \
      }                                                                                                      \
      if (codes_at_once(of, starts, sizes, some, row, codes + row)) return -1;                               \
    }                                                                                                        \
    return 0;                                                                                                \
  }

SLICED_CODES(short_sliced_codes, int32_t)
SLICED_CODES(long_sliced_codes, int64_t)

#endif
