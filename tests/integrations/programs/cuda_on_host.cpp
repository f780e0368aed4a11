// The CUDA kernels on the host, a thread at a time: enough of CUDA's words for count.cu, and one door to call it.
// A block has one thread, so that barriers mean nothing and atomics are plain additions.

#include <algorithm>
#include <cstring>

#define __device__
#define __global__
#define __shared__
#define __launch_bounds__(n)
#define __syncthreads()
using std::max;
using std::min;

struct Place {
  unsigned x;
};
static Place threadIdx = {0}, blockIdx = {0}, blockDim = {1}, gridDim = {1};
struct int4 {
  int x, y, z, w;
};

template <class T, class S>
static T atomicAdd(T *place, S amount) {
  const T before = *place;
  *place += amount;
  return before;
}
template <class T>
static T atomicMax(T *place, T value) {
  const T before = *place;
  *place = max(before, value);
  return before;
}
static unsigned atomicCAS(unsigned *place, unsigned expected, unsigned value) {
  const unsigned before = *place;
  if (before == expected) *place = value;
  return before;
}

#include SOURCE

double memory[1 << 18];

extern "C" void run(int indicators, unsigned blocks, const PRED *pred, const GOLD *gold, const double *weight, i64 rows,
                    int n, i64 ignore, total *counts, i64 *faults) {
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
    std::memset(memory, 0xff, sizeof memory);
    (indicators ? count_indicators : count_rows)(pred, gold, weight, rows, n, ignore, counts, faults);
  }
}
