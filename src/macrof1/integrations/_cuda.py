"""Count on a CUDA device with `count.cu`, which is compiled on first use; nothing here waits for the device.

It uses NVIDIA's documented C interfaces: the driver, and NVRTC, which ships with every CUDA build of torch.
"""

from __future__ import annotations

import ctypes
import warnings
from functools import cache
from importlib.resources import files
from struct import Struct
from typing import Any

import torch
from torch import Tensor

_TYPES = {torch.int64: "long long", torch.int32: "int", torch.int16: "short", torch.int8: "signed char"}
_TYPES |= dict.fromkeys((torch.uint8, torch.bool), "unsigned char")
# Up to this many pairs of classes, private counters save atomics; reducing more of them takes longer.
_THREADS, _MOST_CELLS, _FEW_CELLS, _LOG_SLOTS = 1024, 4096, 4, 14
_library = cache(ctypes.CDLL)
_MAX_DYNAMIC_SHARED_SIZE_BYTES, _BUFFER, _BUFFER_SIZE = 8, 1, 2  # of the driver
_VALUES = Struct("PPPqiqPP")  # the arguments of a kernel
_SIZE = ctypes.c_size_t(_VALUES.size)


def count(
    kernel: str, sides: tuple[Tensor, Tensor], states: tuple[Tensor, Tensor], ignore: int | None, weight: Tensor | None
) -> bool:
    """Add predicted and gold codes (or indicators) to counts and faults; return False if compilation failed."""
    alike = kernel != "count_rows" or sides[0].dtype == sides[1].dtype
    pred, gold = ((side if alike and side.dtype in _TYPES else side.long()).contiguous() for side in sides)
    n, kinds = states[0].shape[1], (pred.dtype, gold.dtype, ignore is not None, weight is not None)
    plan = _plan(kernel, n, kinds, gold.device.index)
    if plan is None or not gold.numel():
        return plan is not None
    places = [0 if one is None else one.data_ptr() for one in (pred, gold, weight, *states)]
    values = ctypes.create_string_buffer(_VALUES.pack(*places[:3], gold.shape[0], n, ignore or 0, *places[3:]))
    packed = (ctypes.c_void_p * 5)(_BUFFER, ctypes.addressof(values), _BUFFER_SIZE, ctypes.addressof(_SIZE), None)
    sizes = (min(plan[2], -(-gold.numel() // _THREADS)), 1, 1, _THREADS, 1, 1, plan[1])
    stream = ctypes.c_void_p(torch.cuda.current_stream(gold.device.index).cuda_stream)
    _call(_library("libcuda.so.1").cuLaunchKernel, plan[0], *sizes, stream, None, packed)
    return True


@cache
def _plan(kernel: str, n: int, kinds: tuple[Any, ...], index: int) -> tuple[ctypes.c_void_p, int, int] | None:
    """Compile the kernel for a kind of input; also return its shared memory in bytes and its maximum of blocks."""
    device, (pred, gold, ignore, weighted) = torch.cuda.get_device_properties(index), kinds
    width, cells = 8 if weighted else 4, int(kernel == "count_rows" and n * n <= _MOST_CELLS)
    cells += cells and n * n <= _FEW_CELLS and not weighted
    log, shared = 0, width * (3 * n + bool(cells) * n * n)
    if shared > device.shared_memory_per_block_optin:
        log, shared = _LOG_SLOTS, (width + 4) << _LOG_SLOTS
    facts = f"PRED={_TYPES[pred]}", f"GOLD={_TYPES[gold]}", f"CELLS={cells}", f"LOG={log}", f"IGNORE={ignore:d}"
    try:
        function = _compiled(kernel, (*facts, f"WEIGHTED={weighted:d}"), index)
    except (OSError, RuntimeError) as error:
        problem = f"counting on cuda:{index} falls back to tensor operations, which are slower: {error}"
        warnings.warn(problem, RuntimeWarning, stacklevel=5)
        return None
    blocks = device.multi_processor_count * (1 + (2 * shared + 2048 <= device.shared_memory_per_multiprocessor))
    return function, shared, blocks


def _call(function: Any, *values: Any) -> None:
    if outcome := function(*values):
        raise RuntimeError(f"{function.__name__} answered with error {outcome}")


@cache
def _compiled(kernel: str, facts: tuple[str, ...], index: int) -> ctypes.c_void_p:
    program, size, module, function = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_void_p()
    options = ["-arch=sm_{}{}".format(*torch.cuda.get_device_capability(index)), *(f"-D{fact}" for fact in facts)]
    nvrtc = _library(f"libnvrtc.so.{str(torch.version.cuda).partition('.')[0]}")
    source = files("macrof1.integrations").joinpath("count.cu").read_bytes()
    _call(nvrtc.nvrtcCreateProgram, ctypes.byref(program), source, b"count.cu", 0, None, None)
    listed = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    _call(nvrtc.nvrtcCompileProgram, program, len(options), listed)
    _call(nvrtc.nvrtcGetCUBINSize, program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    _call(nvrtc.nvrtcGetCUBIN, program, code)
    driver = _library("libcuda.so.1")
    _call(driver.cuModuleLoadData, ctypes.byref(module), code)
    _call(driver.cuModuleGetFunction, ctypes.byref(function), module, kernel.encode())
    most = torch.cuda.get_device_properties(index).shared_memory_per_block_optin
    _call(driver.cuFuncSetAttribute, function, _MAX_DYNAMIC_SHARED_SIZE_BYTES, most)
    return function
