"""What the package asks of GPU arrays, whoever made them: address, size, dtype, layout, and a new one like them.

torch, numba and pycuda have ways of their own. Any other array is asked by its ``__cuda_array_interface__``.
"""

from math import prod
from typing import Any

import numpy as np


def get_array_module(obj: Any) -> str:
    """The library that the array is of: "cupy", "torch", "numba", "pycuda", or "generic" for any other."""
    name = type(obj).__module__.partition(".")[0]
    return name if name in ("cupy", "torch", "numba", "pycuda") else "generic"


def get_array_ptr(data: Any) -> int:
    """The array's address on its device."""
    if get_array_module(data) == "torch" and data.is_cuda:
        return int(data.data_ptr())  # also of a tensor that requires a gradient
    return int(_interface(data)["data"][0])


def get_array_size(obj: Any) -> int:
    return prod(get_array_shape(obj))


def get_array_shape(obj: Any) -> tuple[int, ...]:
    """The shape as a tuple of ints; torch's is a class of its own."""
    return tuple(int(n) for n in obj.shape)


def get_array_dtype(obj: Any) -> np.dtype[Any]:
    """The dtype as numpy's."""
    if get_array_module(obj) == "torch":
        return np.dtype(str(obj.dtype).removeprefix("torch."))
    return np.dtype(obj.dtype)


def is_array_contiguous(obj: Any) -> bool:
    """Whether the array is in C order without gaps."""
    if get_array_module(obj) == "torch":
        return bool(obj.is_contiguous())
    interface = _interface(obj)
    strides = interface.get("strides")
    shape = tuple(interface["shape"])
    if strides is None or 0 in shape:
        return True
    step = np.dtype(interface["typestr"]).itemsize
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != step:
            return False
        step *= length
    return True


def array_can_contiguous(obj: Any) -> bool:
    """Whether ``array_contiguous`` can copy the array."""
    module = get_array_module(obj)
    return module in ("cupy", "torch", "numba") or (module == "generic" and hasattr(obj, "copy"))


def array_contiguous(obj: Any) -> Any:
    """A copy of the array in C order without gaps."""
    module = get_array_module(obj)
    if module == "torch":
        return obj.contiguous()
    if module == "numba":
        from numba import cuda

        copy = cuda.device_array(obj.shape, obj.dtype)
        copy[:] = obj
        return copy
    return obj.copy(order="C")


def array_empty_like(obj: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A new array of the same library and on the same device, with another shape and dtype."""
    module = get_array_module(obj)
    if module == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, np.dtype(dtype).name), device=obj.device)
    if module == "numba":
        from numba import cuda

        return cuda.device_array(shape, dtype)
    return type(obj)(shape, dtype=dtype)


def _interface(obj: Any) -> dict[str, Any]:
    try:
        interface: dict[str, Any] = obj.__cuda_array_interface__
    except (AttributeError, RuntimeError):  # torch's tensors on the CPU raise either
        raise TypeError(
            "Invalid GPU array implementation. Implementation must implement the standard cuda array interface."
        ) from None
    return interface
