"""The kinds of arrays that the tests run with: each turns a numpy array into its own and back."""

import importlib

import numpy as np
import offgrid


class Kind:
    name = "numpy"

    def __init__(self):
        pass

    def of(self, array):
        return array

    def back(self, array):
        assert type(array) is np.ndarray
        return array

    def wait(self):
        pass


class Cupy(Kind):
    name = "cupy"

    def __init__(self):
        self.cupy = need("cupy")
        if not gpu_count(self.cupy.cuda.runtime.getDeviceCount):
            raise Absent("cupy finds no GPU")

    def of(self, array):
        return self.cupy.asarray(array)

    def back(self, array):
        assert isinstance(array, self.cupy.ndarray)
        return self.cupy.asnumpy(array)


class Torch(Kind):
    name = "torch"
    device = "cpu"

    def __init__(self):
        self.torch = need("torch")
        if self.device == "cuda" and not self.torch.cuda.is_available():
            raise Absent("torch finds no GPU")

    def of(self, array):
        strided = np.ascontiguousarray(array)
        return self.torch.from_numpy(strided.copy()).to(self.device)

    def back(self, array):
        assert isinstance(array, self.torch.Tensor) and array.device.type == self.device
        return array.cpu().numpy()


class TorchCuda(Torch):
    name = "torch-cuda"
    device = "cuda"


class Jax(Kind):
    name = "jax"
    platform = "cpu"

    def __init__(self):
        self.jax = need("jax")
        self.jax.config.update("jax_enable_x64", True)
        try:
            self.device = self.jax.devices(self.platform)[0]
        except RuntimeError:
            raise Absent("jax finds no GPU") from None

    def of(self, array):
        return self.jax.device_put(np.ascontiguousarray(array), self.device)

    def back(self, array):
        assert isinstance(array, self.jax.Array) and array.devices() == {self.device}
        return np.asarray(array)


class JaxCuda(Jax):
    name = "jax-cuda"
    platform = "cuda"


class OnlyDlpack:
    """An array of a library that nobody has heard of."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __getitem__(self, key):
        return OnlyDlpack(self.array[key])

    def __dlpack__(self, **settings):
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Dlpack(Kind):
    name = "dlpack"

    def of(self, array):
        return OnlyDlpack(np.ascontiguousarray(array))


class Absent(Exception):
    """Why a kind cannot be tested here."""


def need(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Absent(f"{module} is not installed") from None


def need_gpu_engine():
    """A GPU may be there that this build of offgrid cannot use."""
    try:
        offgrid.Plan(1, (4,), device="cuda").close()
    except offgrid.Error as reason:
        raise Absent(str(reason)) from None


def gpu_count(count):
    try:
        return count()
    except Exception:  # cupy's error without a driver is a class of its own
        return 0


KINDS = {kind.name: kind for kind in (Kind, Dlpack, Torch, Jax, Cupy, TorchCuda, JaxCuda)}
ON_GPU = ("cupy", "torch-cuda", "jax-cuda")
