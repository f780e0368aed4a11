/* Codes of strings by what they hold, in the order in which they are first met; no Python object is made for a row. */

#ifndef MACROF1_TEXT_CODES_H
#define MACROF1_TEXT_CODES_H

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define AT_ONCE 16              /* strings whose slots are fetched before the first is looked up */
#define MANY_SLOTS (1 << 18)    /* so many slots and their keys do not fit in a nearby cache */
#define SLOTS_PER_TEXT 4        /* at least: few strings meet in a slot */
#define SHORT 16                /* bytes: shorter strings are their own keys */
#define MOST_TEXTS ((int64_t)1 << 29)

/* Two strings are equal if their keys are and, from SHORT bytes on, their bytes. A short key holds the bytes of the
   string, filled up with 0, and its size in the last byte; a long one a hash of them, the size, and 0xfe. */
typedef struct {
  uint64_t first, second;
} key;

/* Where a string was first met. */
typedef struct {
  const char *start;
  int64_t row;
} text;

/* A slot holds a code, or -1; keys and texts are numbered by code. */
typedef struct {
  int32_t *slots;
  key *keys;
  text *texts;
  uint64_t mask;
  int shift; /* of a hash, to a slot */
  int64_t n;
  int wide; /* whether characters of four bytes were met that are not ASCII, or more of them than a short key holds */
} book;

/* Bytes as a number, the first of them the lowest, on every processor. */
INLINE uint64_t eight_bytes(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

INLINE uint64_t four_bytes(const char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word;
}

/* Every bit of either word moves every bit of the result. */
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

INLINE int is_short(key is) { return is.second >> 56 < SHORT; }
INLINE int64_t size_of(key is) { return (int64_t)(is_short(is) ? is.second >> 56 : is.second & ~(uint64_t)0 >> 8); }

static key long_key(const char *at, int64_t size) {
  uint64_t hash = (uint64_t)size;
  for (int64_t i = 0; i < size; i += 16) /* the last words may overlap those before */
    hash = mixed(hash ^ eight_bytes(at + LEAST(i, size - 8)), eight_bytes(at + LEAST(i + 8, size - 8)));
  return (key){hash, (uint64_t)size | (uint64_t)0xfe << 56};
}

INLINE key key_of(const char *at, int64_t size) {
  key is = {0, (uint64_t)size << 56};
  if (size >= SHORT) return long_key(at, size);
  if (size > 8) {
    is.first = eight_bytes(at);
    is.second |= eight_bytes(at + size - 8) >> 8 * (16 - size);
  } else if (size >= 4) {
    is.first = four_bytes(at) | four_bytes(at + size - 4) << 8 * (size - 4);
  } else {
    for (int64_t i = 0; i < size; i++) is.first |= (uint64_t)(uint8_t)at[i] << 8 * i;
  }
  return is;
}

/* The same for a short string in 16 bytes that may be read: no branch depends on its size. It is made and compared as one
   vector where there are such; `words` are the key. */
static const char KEEP[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
#ifdef __SSE2__
typedef __m128i roomy_key;

INLINE roomy_key roomy_key_of(const char *at, uint64_t size) {
  const __m128i kept = _mm_loadu_si128((const __m128i *)(KEEP + 16 - size));
  return _mm_or_si128(_mm_and_si128(_mm_loadu_si128((const __m128i *)at), kept),
                      _mm_slli_si128(_mm_cvtsi32_si128((int)size), 15));
}

INLINE key words(roomy_key is) {
  return (key){(uint64_t)_mm_cvtsi128_si64(is), (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(is, is))};
}

INLINE int are_same(roomy_key is, const key *other) {
  return _mm_movemask_epi8(_mm_cmpeq_epi8(is, _mm_loadu_si128((const __m128i *)other))) == 0xffff;
}
#else
typedef key roomy_key;

INLINE roomy_key roomy_key_of(const char *at, uint64_t size) {
  return (key){eight_bytes(at) & eight_bytes(KEEP + 16 - size),
               (eight_bytes(at + 8) & eight_bytes(KEEP + 24 - size)) | size << 56};
}

INLINE key words(roomy_key is) { return is; }
INLINE int are_same(roomy_key is, const key *other) { return is.first == other->first && is.second == other->second; }
#endif

/* The slot in which the search for a key begins. The highest bits of a product depend on all bits of the key: names that
   differ in their last digit must not meet. */
INLINE uint64_t first_slot(key is, int shift) {
  return (is.first + is.second * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15 >> shift;
}

/* Make room for as many strings as so many slots, a power of 2, are to hold. -1 without memory. */
static int resize_book(book *of, uint64_t n_slots) {
  int32_t *slots = malloc(n_slots * sizeof *slots);
  key *keys = realloc(of->keys, n_slots / SLOTS_PER_TEXT * sizeof *keys);
  text *texts = realloc(of->texts, n_slots / SLOTS_PER_TEXT * sizeof *texts);
  if (keys) of->keys = keys;
  if (texts) of->texts = texts;
  if (!slots || !keys || !texts) {
    free(slots);
    return -1;
  }
  memset(slots, 0xff, n_slots * sizeof *slots);
  for (of->shift = 64; n_slots >> (64 - of->shift) > 1;) of->shift--;
  for (int64_t code = 0; code < of->n; code++) {
    uint64_t at = first_slot(keys[code], of->shift);
    while (slots[at] >= 0) at = (at + 1) & (n_slots - 1);
    slots[at] = (int32_t)code;
  }
  free(of->slots);
  of->slots = slots;
  of->mask = n_slots - 1;
  return 0;
}

static int open_book(book *of) { return resize_book(of, 4096); }

static void close_book(book *of) {
  free(of->slots);
  free(of->keys);
  free(of->texts);
}

/* Give the string that was not found at a slot the next code. -1 without memory, or for too many strings. */
static int32_t new_code(book *of, uint64_t at, key is, text found) {
  const int64_t code = of->n++;
  of->slots[at] = (int32_t)code;
  of->keys[code] = is;
  of->texts[code] = found;
  if (SLOTS_PER_TEXT * (uint64_t)of->n > of->mask && (of->n > MOST_TEXTS || resize_book(of, 4 * (of->mask + 1)))) return -1;
  return (int32_t)code;
}

/* The code of a string; a new one gets the next. -1 as above. */
INLINE int32_t code_of(book *of, key is, const char *start, int64_t row) {
  for (uint64_t at = first_slot(is, of->shift);; at = (at + 1) & of->mask) {
    const int32_t code = of->slots[at];
    if (SELDOM(code < 0)) return new_code(of, at, is, (text){start, row});
    const key found = of->keys[code];
    if (found.first == is.first && found.second == is.second &&
        (is_short(is) || !memcmp(of->texts[code].start, start, (size_t)size_of(is))))
      return code;
  }
}

/* Fetch what the lookup of some keys will read, where that is not in the cache. */
INLINE void fetch_keys(const book *of, const key *keys, int n) {
  uint64_t at[AT_ONCE];
  if (of->mask < MANY_SLOTS) return;
  for (int i = 0; i < n; i++) FETCH(&of->slots[at[i] = first_slot(keys[i], of->shift)]);
  for (int i = 0; i < n; i++) FETCH(&of->keys[LEAST((uint32_t)of->slots[at[i]], (uint32_t)of->n)]);
}

/* Add the strings of another book, whose memory must stay, with their codes there as rows; write the codes that they
   have here. -1 as above. */
static int add_book(book *of, const book *other, int32_t *to) {
  for (int64_t i = 0; i < other->n; i++)
    if ((to[i] = code_of(of, other->keys[i], other->texts[i].start, i)) < 0) return -1;
  return 0;
}

/* Where the bytes of a string stand; those of a short one are written there. */
static const char *spelled(const book *of, int64_t code, char room[16]) {
  const key is = of->keys[code];
  if (!is_short(is)) return of->texts[code].start;
  const uint64_t words[2] = {eight_bytes((const char *)&is.first), eight_bytes((const char *)&is.second)};
  memcpy(room, words, 16);
  return room;
}

/* Write the codes in the order of their strings' first 15 bytes, from the last byte to the first. -1 without memory. */
static int sort_codes(const book *of, int32_t *codes) {
  typedef struct {
    key is;
    int32_t code;
  } entry;
  const int64_t n = of->n;
  entry *entries = malloc(2 * (size_t)n * sizeof *entries), *sorted = entries + n;
  if (!entries) return -1;
  key differing = {0, 0}; /* the bits in which some do */
  for (int64_t code = 0; code < n; code++) {
    char room[16];
    const char *at = spelled(of, code, room);
    key is = {eight_bytes(at), eight_bytes(at + 8)};
    if (!is_short(of->keys[code])) is.second |= (uint64_t)0xff << 56;
    entries[code] = (entry){is, (int32_t)code};
    differing.first |= is.first ^ entries[0].is.first;
    differing.second |= is.second ^ entries[0].is.second;
  }
  entry *from = entries, *to = sorted;
  for (int byte = 15; byte >= 0; byte--) {
    const int shift = 8 * (byte & 7);
    if (!((byte < 8 ? differing.first : differing.second) >> shift & 255)) continue;
    uint32_t starts[256] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++) starts[(byte < 8 ? from[i].is.first : from[i].is.second) >> shift & 255]++;
    for (int i = 0; i < 256; i++) {
      const uint32_t count = starts[i];
      starts[i] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; i++)
      to[starts[(byte < 8 ? from[i].is.first : from[i].is.second) >> shift & 255]++] = from[i];
    entry *const swapped = from;
    from = to;
    to = swapped;
  }
  for (int64_t i = 0; i < n; i++) codes[i] = from[i].code;
  free(entries);
  return 0;
}

/* Replace codes by what they become; 0 if one of them is not below n. */
FOR_EVERY_CPU static int recode(int32_t *restrict codes, int64_t n_rows, const int32_t *restrict to, uint32_t n) {
  uint32_t beyond = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    const uint32_t code = (uint32_t)codes[row];
    beyond |= code >= n;
    codes[row] = to[code < n ? code : 0];
  }
  return !beyond;
}

/* Write the row in which each code was first met. */
static void first_rows(const book *of, int64_t *rows) {
  for (int64_t code = 0; code < of->n; code++) rows[code] = of->texts[code].row;
}

/* The key of up to 15 characters of four bytes, as if they were ASCII without the zeros at the end; 0 if they are not.
   Those from n_words on are not counted, but 16 are read where `room` allows it. */
INLINE int narrow_key(const char *at, int n_words, int64_t room, const uint32_t *keep, key *is) {
  uint64_t first = 0, second = 0, seen = 0;
#ifdef __SSE2__
  if (room >= 64) {
    const __m128i *words = (const __m128i *)at, *kept = (const __m128i *)keep;
    __m128i part[4];
    for (int i = 0; i < 4; i++) part[i] = _mm_and_si128(_mm_loadu_si128(words + i), _mm_loadu_si128(kept + i));
    const __m128i bits = _mm_or_si128(_mm_or_si128(part[0], part[1]), _mm_or_si128(part[2], part[3]));
    const __m128i beyond = _mm_and_si128(bits, _mm_set1_epi32(~0x7f));
    if (_mm_movemask_epi8(_mm_cmpeq_epi32(beyond, _mm_setzero_si128())) != 0xffff) return 0;
    const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(part[0], part[1]), _mm_packs_epi32(part[2], part[3]));
    first = (uint64_t)_mm_cvtsi128_si64(bytes);
    second = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes));
  } else
#endif
  {
    for (int i = 0; i < n_words; i++) {
      uint32_t word;
      memcpy(&word, at + 4 * i, 4);
      seen |= word;
      if (i < 8)
        first |= (uint64_t)(word & 0x7f) << 8 * i;
      else
        second |= (uint64_t)(word & 0x7f) << 8 * (i - 8);
    }
    if (seen >= 0x80) return 0;
  }
  uint64_t last = second ? second : first, size = second ? 8 : 0;
#ifdef __GNUC__
  size += last ? 8 - (uint64_t)__builtin_clzll(last) / 8 : 0;
#else
  for (; last; last >>= 8) size++;
#endif
  *is = (key){first, second | size << 56};
  return 1;
}

/* Write a code for each of n strings of one width, which are characters of four bytes or else bytes. -1 as above. */
static int fixed_codes(book *of, const char *data, int64_t n, int64_t width, int characters, int32_t *codes) {
  const int n_words = characters && width < 4 * SHORT ? (int)(width / 4) : 0;
  uint32_t keep[16];
  for (int i = 0; i < 16; i++) keep[i] = i < n_words ? UINT32_MAX : 0;
  for (int64_t row = 0; row < n; row += AT_ONCE) {
    const int some = (int)LEAST(n - row, AT_ONCE);
    key keys[AT_ONCE];
    for (int i = 0; i < some; i++) {
      const char *start = data + (row + i) * width;
      const int64_t room = (n - row - i) * width;
      if (n_words && narrow_key(start, n_words, room, keep, &keys[i])) continue;
      /* A key of all bytes has another size than any of these characters, of which there are fewer. */
      keys[i] = key_of(start, width);
      of->wide = 1;
    }
    fetch_keys(of, keys, some);
    for (int i = 0; i < some; i++)
      if (SELDOM((codes[row + i] = code_of(of, keys[i], data + (row + i) * width, row + i)) < 0)) return -1;
  }
  return 0;
}

/* The same for strings between two offsets each; a missing one (a bit of 0) has the code -1. -2 for bad offsets. Most
   strings are short and found in their first slot: a loop of its own takes these, up to one that is not. */
#define SLICED_CODES(NAME, OFFSET)                                                                                    \
  INLINE int64_t NAME##_found(const book *of, const char *data, uint64_t roomy, const OFFSET *offsets, int64_t row,   \
                              int64_t last, int32_t *codes) {                                                         \
    const int32_t *const slots = of->slots;                                                                           \
    const key *const keys = of->keys;                                                                                 \
    const uint64_t mask = of->mask;                                                                                   \
    const int shift = of->shift;                                                                                      \
    uint64_t start = (uint64_t)offsets[row];                                                                          \
    for (; row < last; row++) {                                                                                       \
      const uint64_t stop = (uint64_t)offsets[row + 1], size = stop - start;                                          \
      if (SELDOM(size >= SHORT || start >= roomy)) break;                                                             \
      const roomy_key is = roomy_key_of(data + start, size);                                                          \
      uint64_t at = first_slot(words(is), shift);                                                                     \
      int32_t code = slots[at];                                                                                       \
      while (code >= 0 && !are_same(is, keys + code)) code = slots[at = (at + 1) & mask];                             \
      if (SELDOM(code < 0)) break;                                                                                    \
      codes[row] = code;                                                                                              \
      start = stop;                                                                                                   \
    }                                                                                                                 \
    return row;                                                                                                       \
  }                                                                                                                   \
                                                                                                                      \
  static int NAME(book *of, const char *data, int64_t length, const OFFSET *offsets, const uint8_t *valid,            \
                  int64_t bit, int64_t n, int64_t first_row, int32_t *codes) {                                        \
    const uint64_t roomy = length > 15 ? (uint64_t)length - 15 : 0;                                                   \
    for (int64_t row = 0, last; row < n; row = last) {                                                                \
      key keys[AT_ONCE];                                                                                              \
      last = LEAST(n, row + (of->mask < MANY_SLOTS ? 64 * AT_ONCE : AT_ONCE));                                        \
      for (int64_t at = row; of->mask >= MANY_SLOTS && at < last; at++) {                                             \
        const uint64_t start = (uint64_t)offsets[at], size = (uint64_t)offsets[at + 1] - start;                       \
        keys[at - row] = size < SHORT && start < roomy ? words(roomy_key_of(data + start, size)) : (key){0, 0};       \
      }                                                                                                               \
      fetch_keys(of, keys, (int)(last - row));                                                                        \
      for (;; row++) {                                                                                                \
        if (!valid) row = NAME##_found(of, data, roomy, offsets, row, last, codes);                                   \
        if (row == last) break;                                                                                       \
        const int64_t start = (int64_t)offsets[row], stop = (int64_t)offsets[row + 1];                                \
        if (start < 0 || stop < start || stop > length) return -2;                                                    \
        if (valid && !(valid[(bit + row) >> 3] >> ((bit + row) & 7) & 1))                                             \
          codes[row] = -1;                                                                                            \
        else if ((codes[row] = code_of(of, key_of(data + start, stop - start), data + start, first_row + row)) < 0)   \
          return -1;                                                                                                  \
      }                                                                                                               \
    }                                                                                                                 \
    return 0;                                                                                                         \
  }

SLICED_CODES(short_sliced_codes, int32_t)
SLICED_CODES(long_sliced_codes, int64_t)

#endif
