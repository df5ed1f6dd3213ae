"""offgrid's C interface by ctypes: a plan per cell. There is no Python wrapper between the clock and the library."""
import ctypes

void_p, int64, double, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_char_p


def load(path):
    library = ctypes.CDLL(path)
    library.offgrid_last_error.restype = library.offgrid_version.restype = library.offgrid_devices.restype = text
    library.offgrid_options_set.argtypes = [void_p, text, double]
    library.offgrid_options_set_text.argtypes = [void_p, text, text]
    library.offgrid_plan_create.argtypes = [void_p, ctypes.c_int, ctypes.c_int, void_p, double, ctypes.c_int, void_p]
    library.offgrid_set_points.argtypes = [void_p, int64, void_p, void_p, void_p, void_p]
    library.offgrid_execute.argtypes = [void_p] * 4
    library.offgrid_plan_get.argtypes = [void_p, text, ctypes.POINTER(double)]
    library.offgrid_options_destroy.argtypes = library.offgrid_plan_destroy.argtypes = [void_p]
    return library


def check(library, status):
    if status != 0:
        raise RuntimeError(library.offgrid_last_error().decode())


class Plan:
    """A fresh plan without any hint."""

    def __init__(self, library, cell, device):
        self.library, self.plan = library, void_p()
        options = void_p()
        check(library, library.offgrid_options_create(ctypes.byref(options)))
        try:
            self.set_options(options, cell, device)
            modes = (int64 * cell.dim)(*cell.modes)
            check(library, library.offgrid_plan_create(ctypes.byref(self.plan), cell.type, cell.dim, modes, cell.tolerance,
                                                       int(cell.precision == "f64"), options))
        finally:
            library.offgrid_options_destroy(options)

    def set_options(self, options, cell, device):
        words = {"device": device, "method": cell.method}
        numbers = {"spread_only": 1, "width": cell.width, "upsampling": cell.upsampling} if cell.width else {}
        for name, word in words.items():
            check(self.library, self.library.offgrid_options_set_text(options, name.encode(), word.encode()))
        for name, number in numbers.items():
            check(self.library, self.library.offgrid_options_set(options, name.encode(), number))

    def set_points(self, count, pointers):
        check(self.library, self.library.offgrid_set_points(self.plan, count, *pointers, None))

    def execute(self, strengths, modes):
        check(self.library, self.library.offgrid_execute(self.plan, strengths, modes, None))

    def get(self, name):
        value = double()
        check(self.library, self.library.offgrid_plan_get(self.plan, name.encode(), ctypes.byref(value)))
        return value.value

    def destroy(self):
        self.library.offgrid_plan_destroy(self.plan)
