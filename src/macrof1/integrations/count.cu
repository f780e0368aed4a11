/* Counting on a CUDA device: one pass over both tensors, counters in shared memory, no look at the host.

   The counts are three rows of n numbers: tp, fp and fn. Labels out of range do not count; the highest and -1 minus the
   lowest go to the faults. Weights add up in no fixed order. The compiler is told the types PRED and GOLD, the same for
   `count_rows`, whether to IGNORE a label, whether rows are WEIGHTED, and
   CELLS  0: one atomic for a right row, two for a wrong one; 1: a counter per pair of classes, one atomic per row;
          2: at most four such pairs, which a thread counts in 16 bits each of one number
   LOG    0: a block holds all counters; else the first 2^LOG that it meets, hashed, and the others lie in the counts:
          what many rows share is met first */
typedef long long i64;
typedef unsigned long long u64;
typedef unsigned u32; /* more rows per block would not fit the device's memory */
#if WEIGHTED
typedef double counter, total;
#else
typedef u32 counter;
typedef u64 total;
#endif
#define ARGUMENTS \
  const PRED *pred, const GOLD *gold, const double *weight, i64 rows, int n, i64 ignore, total *counts, i64 *faults
#define NOBODY (~0u)
#define PACK (16 / (int)sizeof(GOLD))
union pack { int4 all; GOLD each[PACK]; };
extern __shared__ double memory[];

struct Counters {
  counter *bins = (counter *)memory;
  const int n, cells, size;
  u32 *holders = (u32 *)(bins + size);
  total *counts;
  i64 high = 0, low = 0;
  u64 own = 0;
  __device__ Counters(int n, int pairs, total *counts)
      : n(n), cells(pairs ? n * n : 0), size(LOG ? 1 << LOG : cells + 3 * n), counts(counts) {
    for (int i = threadIdx.x; i < size; i += blockDim.x) bins[i] = 0;
    for (int i = threadIdx.x; LOG && i < size; i += blockDim.x) holders[i] = NOBODY;
    __syncthreads();
  }
  __device__ void empty() { for (int c = 0; c < cells; c++, own >>= 16) atomicAdd(bins + c, (counter)(own & 65535)); }
  __device__ void add(u32 place, counter amount) {
    if (CELLS == 2 && cells) {
      own += 1ull << place * 16;
      if (own & 0x8000800080008000ull) empty();
      return;
    }
    const u32 slot = LOG ? place * 2654435761u >> (32 - LOG) % 32 : place;
    u32 holder = LOG ? ((volatile u32 *)holders)[slot] : place;
    if (LOG && holder == NOBODY) holder = atomicCAS(holders + slot, NOBODY, place);
    if (!LOG || holder == NOBODY || holder == place) atomicAdd(bins + slot, amount);
    else atomicAdd(counts + place, (total)amount);
  }
  __device__ bool inside(PRED p, GOLD g, int limit) {
    if (sizeof p < 8 && sizeof g < 8 ? (u32)p < (u32)limit && (u32)g < (u32)limit
                                     : (u64)p < (u64)limit && (u64)g < (u64)limit) return true;
    high = max(high, max((i64)p, (i64)g));
    low = min(low, min((i64)p, (i64)g));
    return false;
  }
  __device__ void finish(i64 *faults) {
    if (high) atomicMax(faults, high);
    if (low) atomicMax(faults + 1, -1 - low);
    if (CELLS == 2) empty();
    __syncthreads();
    counter *sums = bins + cells;
    for (int c = threadIdx.x; c < cells; c += blockDim.x) {
      const int g = c / n, p = c % n;
      atomicAdd(sums + (p == g ? g : n + p), bins[c]);
      if (p != g) atomicAdd(sums + 2 * n + g, bins[c]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size - cells; i += blockDim.x)
      if (sums[i] != 0) atomicAdd(counts + (LOG ? holders[i] : i), (total)sums[i]);
  }
};

extern "C" __global__ void __launch_bounds__(1024) count_rows(ARGUMENTS) {
  Counters counters(n, CELLS, counts);
  const i64 first = (i64)blockIdx.x * blockDim.x + threadIdx.x, step = (i64)gridDim.x * blockDim.x;
  auto count = [&](GOLD p, GOLD g, i64 row) {
    if ((IGNORE && g == ignore) || !counters.inside(p, g, n)) return;
    const counter amount = WEIGHTED ? (counter)weight[row] : 1;
    counters.add(CELLS ? (u32)g * n + (u32)p : p == g ? (u32)g : n + (u32)p, amount);
    if (!CELLS && p != g) counters.add(2 * n + (u32)g, amount);
  };
  const i64 packs = ((u64)pred | (u64)gold) % 16 ? 0 : rows / PACK;
  for (i64 i = first; i < packs; i += step) {
    const pack p = {((const int4 *)pred)[i]}, g = {((const int4 *)gold)[i]};
#pragma unroll
    for (int k = 0; k < PACK; k++) count(p.each[k], g.each[k], i * PACK + k);
  }
  for (i64 i = packs * PACK + first; i < rows; i += step) count(pred[i], gold[i], i);
  counters.finish(faults);
}

/* Indicators, rows x n: the step is a multiple of n, so that a thread stays in one column. */
extern "C" __global__ void __launch_bounds__(1024) count_indicators(ARGUMENTS) {
  Counters counters(n, 0, counts);
  const i64 threads = (i64)gridDim.x * blockDim.x, size = rows * n, step = max(threads / n, (i64)1) * n;
  for (i64 first = (i64)blockIdx.x * blockDim.x + threadIdx.x; first < min(step, size); first += threads) {
    counter found[3] = {0, 0, 0};
    for (i64 i = first; i < size; i += step) {
      if ((IGNORE && gold[i] == ignore) || !counters.inside(pred[i], gold[i], 2)) continue;
      const int kind = pred[i] ? !gold[i] : gold[i] ? 2 : 3;
      for (int k = 0; k < 3; k++) found[k] += kind == k ? WEIGHTED ? (counter)weight[i / n] : 1 : 0;
    }
    for (int k = 0; k < 3; k++)
      if (found[k] != 0) counters.add(k * n + (u32)(first % n), found[k]);
  }
  counters.finish(faults);
}
