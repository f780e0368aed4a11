"""Counting on a CUDA device by `count.cu`, which is compiled on first use; nothing here waits for the device.

The door is NVIDIA's documented C interface, by ctypes: NVRTC, which every CUDA build of torch brings along, and the
driver. Kernels are compiled once per process, device and kind of input.
"""

from __future__ import annotations

import ctypes
import warnings
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import torch
from torch import Tensor

_TYPES = {
    torch.int64: "long long",
    torch.int32: "int",
    torch.int16: "short",
    torch.int8: "signed char",
    **dict.fromkeys((torch.uint8, torch.bool), "unsigned char"),
}
_THREADS = 1024
# Up to so many pairs of classes a counter for each saves atomics; folding more of them takes longer.
_MOST_CELLS = 4096
_LOG_SLOTS = 14
_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # a function attribute of the driver


def count(
    kernel: str,
    pred: Tensor,
    gold: Tensor,
    counts: Tensor,
    faults: Tensor,
    *,
    ignore_index: int | None = None,
    weight: Tensor | None = None,
) -> bool:
    """Add flat codes (``"count_rows"``) or rows x labels (``"count_indicators"``) to the counts of the current device.

    Returns False where no kernel could be compiled: nothing was counted then, and a warning has said why.
    """
    if kernel == "count_rows" and pred.dtype != gold.dtype:
        pred, gold = pred.long(), gold.long()
    pred, gold = ((side if side.dtype in _TYPES else side.long()).contiguous() for side in (pred, gold))
    n, kinds = counts.shape[1], (pred.dtype, gold.dtype, ignore_index is not None, weight is not None)
    plan = _plan(kernel, n, kinds, gold.device.index)
    if plan is None or not gold.numel():
        return plan is not None
    values = (
        *(ctypes.c_void_p(0 if side is None else side.data_ptr()) for side in (pred, gold, weight)),
        *(ctypes.c_int64(gold.shape[0]), ctypes.c_int(n), ctypes.c_int64(ignore_index or 0)),
        *(ctypes.c_void_p(side.data_ptr()) for side in (counts, faults)),
    )
    addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    blocks = min(plan.most_blocks, -(-gold.numel() // _THREADS))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    launch = _driver().cuLaunchKernel
    _call(launch, plan.function, blocks, 1, 1, _THREADS, 1, 1, plan.shared, stream, addresses, None)
    return True


class _Plan(NamedTuple):
    function: ctypes.c_void_p
    shared: int
    most_blocks: int


@cache
def _plan(kernel: str, n: int, kinds: tuple[Any, ...], index: int) -> _Plan | None:
    """Choose the sizes for a kind of input, and compile its kernel; None where that fails."""
    device = torch.cuda.get_device_properties(index)
    pred, gold, ignore, weighted = kinds
    width, cells = 8 if weighted else 4, int(kernel == "count_rows" and n * n <= _MOST_CELLS)
    log, shared = 0, width * (3 * n + cells * n * n)
    if shared > device.shared_memory_per_block_optin:
        log, shared = _LOG_SLOTS, (width + 4) << _LOG_SLOTS
    function = _compiled(kernel, (_TYPES[pred], _TYPES[gold], cells, log, int(ignore), int(weighted)), index)
    if function is None:
        return None
    _call(_driver().cuFuncSetAttribute, function, _MAX_DYNAMIC_SHARED_SIZE_BYTES, device.shared_memory_per_block_optin)
    per_processor = 2 if 2 * shared + 2048 <= device.shared_memory_per_multiprocessor else 1
    return _Plan(function, shared, device.multi_processor_count * per_processor)


@cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _call(function: Any, *values: Any) -> None:
    outcome = function(*values)
    if outcome:
        raise RuntimeError(f"{function.__name__} answered with error {outcome}")


@cache
def _compiled(kernel: str, sizes: tuple[object, ...], device: int) -> ctypes.c_void_p | None:
    """Compile a kernel for the current device, or warn."""
    names = ("PRED", "GOLD", "CELLS", "LOG", "IGNORE", "WEIGHTED")
    architecture = "-arch=sm_{}{}".format(*torch.cuda.get_device_capability(device))
    options = [architecture, *(f"-D{name}={size}" for name, size in zip(names, sizes, strict=True))]
    program, size, module, function = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_void_p()
    try:
        nvrtc = ctypes.CDLL(f"libnvrtc.so.{str(torch.version.cuda).partition('.')[0]}")
        source = files("macrof1.integrations").joinpath("count.cu").read_bytes()
        _call(nvrtc.nvrtcCreateProgram, ctypes.byref(program), source, b"count.cu", 0, None, None)
        listed = (ctypes.c_char_p * len(options))(*map(str.encode, options))
        _call(nvrtc.nvrtcCompileProgram, program, len(options), listed)
        _call(nvrtc.nvrtcGetCUBINSize, program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        _call(nvrtc.nvrtcGetCUBIN, program, code)
        _call(_driver().cuModuleLoadData, ctypes.byref(module), code)
        _call(_driver().cuModuleGetFunction, ctypes.byref(function), module, kernel.encode())
    except (OSError, RuntimeError) as error:
        problem = f"counting on cuda:{device} falls back to tensor operations, which are slower: {error}"
        warnings.warn(problem, RuntimeWarning, stacklevel=6)
        return None
    return function
