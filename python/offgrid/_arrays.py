"""Kinds of arrays: numpy, cupy, torch, jax and whatever else has DLPack, behind the same few methods.

`kind_of(value, name)` finds the kind; `kind.take(value, name)` gives the array that is worked on, which shares its memory
with `value`. The methods take that array. `finish` turns a result into an array of the caller's kind.

Temporaries (contiguous copies, and arrays that the caller drops right after a call) may die before a GPU has read them.
cupy and torch hand freed memory out again in the order of the stream that it was allocated on, and offgrid enqueues on
that same stream, their current one. For other GPU arrays offgrid waits for its work before it returns.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from offgrid import _core
from offgrid._error import ArgumentTypeError, ArgumentValueError

PRECISIONS = {"complex64": "float32", "complex128": "float64"}  # complex dtype to the points' dtype
NAMES = {np.dtype(name): name for pair in PRECISIONS.items() for name in pair}
LEGACY_STREAM = 1  # CUDA's default stream, as CUDA and DLPack number it


def name_of_device(gpu: int) -> str:
    return "the CPU" if gpu < 0 else f"GPU {gpu}"


class NumpyKind:
    """Arrays of numpy, and the defaults of the other kinds."""

    writable = True  # results may be written in place

    def take(self, value: Any, name: str) -> Any:
        if type(value) is np.ndarray:
            return value
        if isinstance(value, np.ma.MaskedArray):
            raise ArgumentTypeError(f"{name} is a masked array; fill it first")
        return np.asarray(value)  # without what a subclass says of itself

    def dtype(self, array: Any) -> str:
        """The dtype's name; one of PRECISIONS's, or another, which is then refused."""
        return NAMES.get(array.dtype) or str(array.dtype)

    def gpu(self, array: Any) -> int:
        return -1

    def contiguous(self, array: Any) -> Any:
        flags = array.flags
        if flags.carray or (flags.c_contiguous and flags.aligned):
            return array
        return np.array(array, order="C", subok=False)

    def snapshot(self, array: Any) -> Any:
        """A copy, on the CPU, that no other thread can write to."""
        return np.array(array, order="C", subok=False)

    def memory(self, array: Any) -> tuple[int, int]:
        """The address and the bytes of a contiguous array."""
        return _core.memory(array)

    def empty(self, shape: tuple[int, ...], dtype: str, gpu: int) -> Any:
        return np.empty(shape, dtype)

    def stream(self, gpu: int) -> int:
        return 0

    def check_out(self, out: Any) -> None:
        if not np.asarray(out).flags.writeable:
            raise ArgumentValueError("out is read-only")

    def copy(self, array: Any, result: Any) -> None:
        array[...] = result

    def finish(self, result: Any, value: Any, gpu: int) -> Any:
        return result

    def remember(self, arrays: list[Any]) -> Remembered | None:
        """What tells later whether points are the same; None where nothing can."""
        return SameValues([self.host(array) for array in arrays])

    def host(self, array: Any) -> np.ndarray:
        return array


class CupyKind(NumpyKind):
    """Attributes of the array itself: `device` and `flags` make an object each time."""

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self.current_stream = cupy.cuda.get_current_stream

    def take(self, value: Any, name: str) -> Any:
        return value

    def gpu(self, array: Any) -> int:
        return array.data.device_id

    def contiguous(self, array: Any) -> Any:
        return array if array._c_contiguous else self.cupy.ascontiguousarray(array)

    def memory(self, array: Any) -> tuple[int, int]:
        return array.data.ptr, array.nbytes

    def empty(self, shape: tuple[int, ...], dtype: str, gpu: int) -> Any:
        if self.cupy.cuda.runtime.getDevice() == gpu:  # a `with` block costs microseconds
            return self.cupy.empty(shape, dtype)
        with self.cupy.cuda.Device(gpu):
            return self.cupy.empty(shape, dtype)

    def stream(self, gpu: int) -> int:
        return self.current_stream(gpu).ptr

    def check_out(self, out: Any) -> None:
        pass

    def remember(self, arrays: list[Any]) -> Remembered | None:
        return None  # an array has no version, and to compare values would wait for the GPU


class TorchKind(NumpyKind):
    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.names = {getattr(torch, name): name for name in NAMES.values()}
        self.dtypes = {name: dtype for dtype, name in self.names.items()}
        # The stream's address without a Stream around it, which takes longer to make than a tiny transform.
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def take(self, value: Any, name: str) -> Any:
        if value.requires_grad and self.torch.is_grad_enabled():
            raise ArgumentTypeError(f"{name} requires a gradient: use offgrid.torch, or detach it")
        if value.layout is not self.torch.strided or not (value.is_cpu or value.is_cuda):
            raise ArgumentTypeError(f"{name} is a {value.layout} tensor on {value.device}; expected a dense one on cpu or cuda")
        if type(value) is not self.torch.Tensor and type(value) is not self.torch.nn.Parameter:
            value = value.as_subclass(self.torch.Tensor)  # without what a subclass says of itself
        return value.resolve_conj().resolve_neg() if value.is_conj() or value.is_neg() else value

    def dtype(self, array: Any) -> str:
        return self.names.get(array.dtype) or str(array.dtype).removeprefix("torch.")

    def gpu(self, array: Any) -> int:
        return array.get_device()

    def contiguous(self, array: Any) -> Any:
        return array.contiguous()

    def snapshot(self, array: Any) -> Any:
        return array.detach().contiguous().clone()

    def memory(self, array: Any) -> tuple[int, int]:
        return array.data_ptr(), array.numel() * array.element_size()

    def empty(self, shape: tuple[int, ...], dtype: str, gpu: int) -> Any:
        return self.torch.empty(shape, dtype=self.dtypes[dtype], device="cpu" if gpu < 0 else gpu)

    def stream(self, gpu: int) -> int:
        if gpu < 0:
            return 0
        return self.raw_stream(gpu) if self.raw_stream else self.torch.cuda.current_stream(gpu).cuda_stream

    def check_out(self, out: Any) -> None:
        if out.is_conj() or out.is_neg():
            raise ArgumentValueError("out is a lazy conjugate; pass the tensor itself")

    def copy(self, array: Any, result: Any) -> None:
        array.copy_(result)

    def remember(self, arrays: list[Any]) -> Remembered | None:
        if arrays[0].get_device() < 0:
            return super().remember(arrays)
        return SameTensors(arrays)

    def host(self, array: Any) -> np.ndarray:
        return array.detach().numpy()


class GpuView:
    """Memory of a GPU behind DLPack. `source` is the array that it belongs to."""

    __slots__ = ("source", "view", "address", "shape", "dtype", "gpu", "bytes")

    def __init__(self, source: Any, capsule: Any) -> None:
        self.source = source
        self.view = view = _core.View(capsule)
        self.address, self.shape, self.dtype, self.gpu = view.address, view.shape, view.dtype, view.gpu
        self.bytes = view.bytes


class BorrowedKind(NumpyKind):
    """Arrays that offgrid reads through DLPack and cannot write: on the CPU as numpy's, on a GPU by their addresses."""

    writable = False

    def take(self, value: Any, name: str) -> Any:
        if value.__dlpack_device__()[0] in (2, 13):  # CUDA, CUDA managed
            return self.on_gpu(value, name)
        return np.from_dlpack(value)

    def on_gpu(self, value: Any, name: str) -> GpuView:
        taken = GpuView(value, value.__dlpack__(stream=LEGACY_STREAM))
        if taken.view.contiguous:
            return taken
        try:
            import cupy  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise ArgumentValueError(f"{name} is not contiguous, and without cupy offgrid cannot copy it") from None
        copy = cupy.ascontiguousarray(cupy.from_dlpack(value))
        return GpuView(copy, copy.__dlpack__(stream=LEGACY_STREAM))

    def dtype(self, array: Any) -> str:
        return array.dtype if isinstance(array, GpuView) else super().dtype(array)

    def gpu(self, array: Any) -> int:
        return array.gpu if isinstance(array, GpuView) else -1

    def contiguous(self, array: Any) -> Any:
        return array if isinstance(array, GpuView) else super().contiguous(array)

    def memory(self, array: Any) -> tuple[int, int]:
        return (array.address, array.bytes) if isinstance(array, GpuView) else super().memory(array)

    def empty(self, shape: tuple[int, ...], dtype: str, gpu: int) -> Any:
        if gpu < 0:
            return super().empty(shape, dtype, gpu)
        memory = _core.gpu_empty(shape, dtype, gpu, LEGACY_STREAM)
        return GpuView(memory, memory)

    def stream(self, gpu: int) -> int:
        return 0 if gpu < 0 else LEGACY_STREAM

    def finish(self, result: Any, value: Any, gpu: int) -> Any:
        if gpu < 0:
            return self.give(result, value)
        _core.gpu_wait(gpu, LEGACY_STREAM)
        return self.give(result, value)

    def give(self, result: Any, value: Any) -> Any:
        owner = result.source if isinstance(result, GpuView) else result
        namespace = getattr(value, "__array_namespace__", None)
        return owner if namespace is None else namespace().from_dlpack(owner)

    def remember(self, arrays: list[Any]) -> Remembered | None:
        return None if isinstance(arrays[0], GpuView) else super().remember(arrays)


class JaxKind(BorrowedKind):
    def __init__(self, jax: Any) -> None:
        self.jax = jax

    def take(self, value: Any, name: str) -> Any:
        if isinstance(value, self.jax.core.Tracer):
            raise ArgumentTypeError(f"{name} is being traced by jax: use offgrid.jax")
        devices = value.devices()
        if len(devices) > 1:
            raise ArgumentValueError(f"{name} is spread over {len(devices)} devices; expected one")
        platform = next(iter(devices)).platform
        if platform not in ("cpu", "gpu", "cuda"):
            raise ArgumentTypeError(f"{name} is on a {platform} device; expected the CPU or an NVIDIA GPU")
        return np.asarray(value) if platform == "cpu" else self.on_gpu(value, name)

    def remember(self, arrays: list[Any]) -> Remembered | None:
        return SameObjects(arrays) if isinstance(arrays[0], GpuView) else super().remember(arrays)

    def give(self, result: Any, value: Any) -> Any:
        if isinstance(result, GpuView) and 0 not in result.shape:
            return self.jax.dlpack.from_dlpack(result.source)
        array = np.empty(result.shape, result.dtype) if isinstance(result, GpuView) else result
        default = self.jax.config.jax_default_device or self.jax.devices()[0]
        if default in value.devices():
            return self.jax.numpy.asarray(array)  # takes half the time of device_put
        return self.jax.device_put(array, next(iter(value.devices())))


class Remembered:
    """Points of a plan, as they were when they were set."""

    def same(self, kind: NumpyKind, arrays: list[Any]) -> bool:
        raise NotImplementedError


class SameValues(Remembered):
    """On the CPU: a copy, since an array says nothing of having been written to."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.copies = [array.copy() for array in arrays]

    def same(self, kind: NumpyKind, arrays: list[Any]) -> bool:
        pairs = zip(self.copies, map(kind.host, arrays))
        return all(copy.shape == array.shape and bool((copy == array).all()) for copy, array in pairs)


class SameTensors(Remembered):
    """Tensors on a GPU: a copy there. A tensor's version says nothing of writes through .data or by other libraries; to
    compare waits for the GPU, as setting the points again would."""

    def __init__(self, arrays: list[Any]) -> None:
        self.copies = [array.detach().clone() for array in arrays]

    def same(self, kind: NumpyKind, arrays: list[Any]) -> bool:
        return isinstance(kind, TorchKind) and all(
            copy.shape == array.shape and copy.device == array.device and kind.torch.equal(copy, array)
            for copy, array in zip(self.copies, arrays))


class SameObjects(Remembered):
    """Arrays of jax on a GPU, which never change. They are kept, so that no other takes their place."""

    def __init__(self, arrays: list[GpuView]) -> None:
        self.sources = [array.source for array in arrays]

    def same(self, kind: NumpyKind, arrays: list[Any]) -> bool:
        return isinstance(kind, JaxKind) and all(a is b.source for a, b in zip(self.sources, arrays))


KINDS: dict[type, NumpyKind] = {np.ndarray: NumpyKind()}  # grows as types are met


def kind_of(value: Any, name: str) -> NumpyKind:
    kind = KINDS.get(type(value))
    if kind is None:
        kind = KINDS[type(value)] = find_kind(value, name)
    return kind


def find_kind(value: Any, name: str) -> NumpyKind:
    """Libraries that nobody has imported are not imported here: there are no arrays of theirs."""
    if isinstance(value, np.ndarray):
        return KINDS[np.ndarray]
    for library, array, kind in (("cupy", "ndarray", CupyKind), ("torch", "Tensor", TorchKind), ("jax", "Array", JaxKind)):
        module = sys.modules.get(library)
        if module is not None and isinstance(value, getattr(module, array, ())):
            return kind(module)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return BorrowedKind()
    raise ArgumentTypeError(f"{name} is a {type(value).__name__}; expected an array of numpy, cupy, torch, jax or with DLPack")
