"""What is measured for each page: the paper's Figures 2 to 7 and Tables I and II, and what the paper says it left out.

A cell is one problem with one way to compute it. `density` is the paper's rho: points per cell of a grid with twice as many
cells per axis as there are modes.
"""
import dataclasses

DECADES = {"f32": range(1, 7), "f64": range(2, 15)}  # tolerances 10^-decade
SETS = ("rand", "cluster", "quad")
METHODS = ("auto", "gm", "gm_sort", "sm")  # the paper's methods have the paper's names


@dataclasses.dataclass(frozen=True)
class Cell:
    figure: str
    dim: int
    type: int
    precision: str
    size: int  # modes per axis; cells per axis where only spreading or interpolation is done
    points: int
    set: str = "rand"
    tolerance: float = 1e-5
    method: str = "auto"
    width: int = 0  # not 0: spread or interpolate only, with a kernel of this width
    upsampling: float = 2.0  # of that kernel
    transfers: bool = True  # measure allocation and transfers, too

    batch = 1

    @property
    def modes(self):
        return [self.size] * self.dim

    @property
    def sign(self):
        return -1 if self.type == 1 else 1

    @property
    def cells_per_axis(self):
        """h = 2 pi over this: of the grid, or of the one with sigma = 2."""
        return self.size if self.width else 2 * self.size

    @property
    def name(self):
        what = f"w{self.width}" if self.width else f"{self.tolerance:.0e}"
        return (f"{self.figure}/{self.dim}d{self.type}/{self.precision}/N{self.size}/M{self.points:.3g}/{self.set}/"
                f"{what}/{self.method}")

    def data_key(self):
        """Cells with the same key share points, input and direct sums."""
        return (self.dim, self.type, self.precision, self.size, self.points, self.set, bool(self.width))


@dataclasses.dataclass(frozen=True)
class Scale:
    """How large the problems are."""

    tolerance_size: dict  # modes per axis by dimension, where the tolerance varies
    tolerance_points: int
    sizes: dict  # modes per axis by dimension, where the size varies
    density_sizes: dict
    spread_sizes: dict  # cells per axis
    width_size: dict
    widths: dict
    methods: tuple  # to spread by
    mtip: tuple  # (task, type, modes per axis, points)
    table_sizes: tuple


MTIP = (("slicing", 2, 41, 1_024_000), ("merging", 1, 81, 16_384_000))
SCALES = {
    "full": Scale({2: 1000, 3: 100}, 10_000_000,
                  {2: (64, 128, 256, 512, 1024, 2048, 4096), 3: (32, 64, 128, 256)},
                  {2: (64, 128, 256, 512, 1024, 2048), 3: (32, 64, 128, 256)},
                  {2: (128, 256, 512, 1024, 2048, 4096), 3: (32, 64, 128, 256)}, {2: 2048, 3: 256},
                  {"f32": (2, 4, 6, 8), "f64": (4, 8, 12, 16)}, METHODS, MTIP, (32, 256)),
    "small": Scale({2: 160, 3: 32}, 300_000, {2: (64, 128, 256), 3: (16, 32)}, {2: (64, 128), 3: (16, 24)},
                   {2: (128, 256, 512), 3: (32, 64)}, {2: 256, 3: 32}, {"f32": (2, 4, 6, 8), "f64": (4, 8, 12, 16)},
                   ("auto",), (("slicing", 2, 41, 1_024_000), ("merging", 1, 81, 1_638_400)), (16, 32)),
    "toy": Scale({2: 24, 3: 10}, 2000, {2: (16, 32), 3: (8, 12)}, {2: (16, 24), 3: (8, 10)}, {2: (32, 48), 3: (24, 32)},
                 {2: 48, 3: 24}, {"f32": (2, 6), "f64": (4, 12)}, ("auto",),
                 (("slicing", 2, 9, 1024), ("merging", 1, 13, 4096)), (8, 16)),
}


def count(density, cells_per_axis, dim):
    return round(density * cells_per_axis**dim)


def tolerance_cells(scale):
    """Figures 4, 5 and 7, and accuracy against tolerance."""
    return [Cell("tolerance", dim, kind, precision, scale.tolerance_size[dim], scale.tolerance_points,
                 tolerance=10.0**-decade)
            for precision in ("f32", "f64") for dim in (2, 3) for kind in (1, 2) for decade in DECADES[precision]]


def set_cells(scale):
    """The three sets of points, where the peer's table has two of them."""
    return [Cell("sets", dim, kind, precision, scale.tolerance_size[dim], scale.tolerance_points, points, tolerance,
                 transfers=False)
            for dim in (2, 3) for kind in (1, 2) for points in SETS
            for precision, tolerance in (("f32", 1e-2), ("f32", 1e-5), ("f64", 1e-6), ("f64", 1e-12))]


def size_cells(scale):
    """Figure 6, in 3D too."""
    return [Cell("sizes", dim, kind, "f32", size, count(1, 2 * size, dim), points, 1e-2)
            for dim in (2, 3) for size in scale.sizes[dim] for kind in (1, 2) for points in SETS]


def density_cells(scale):
    return [Cell("density", dim, kind, "f32", size, count(density, 2 * size, dim), transfers=False)
            for dim in (2, 3) for size in scale.density_sizes[dim] for density in (0.1, 1, 10) for kind in (1, 2)]


def spread_cells(scale):
    """Figures 2 and 3, where tolerance 1e-5 is width 6, and the same against the width."""
    def methods(kind):
        return [method for method in scale.methods if kind == 1 or method != "sm"]  # sm interpolates as gm_sort does

    def make(figure, dim, kind, precision, size, points, width):
        return [Cell(figure, dim, kind, precision, size, count(1, size, dim), points, method=method, width=width,
                     transfers=False) for method in methods(kind)]

    cells = []
    for dim in (2, 3):
        for kind, points in ((1, "rand"), (1, "cluster"), (2, "rand")):
            for size in scale.spread_sizes[dim]:
                cells += make("spread", dim, kind, "f32", size, points, 6)
            for precision, widths in scale.widths.items():
                for width in widths:
                    cells += make("width", dim, kind, precision, scale.width_size[dim], points, width)
    return cells


def table_cells(scale):
    """Table I."""
    return [Cell("table1", 3, 1, "f32", size, count(1, 2 * size, 3), tolerance=tolerance, method=method, transfers=False)
            for size in scale.table_sizes for tolerance in (1e-2, 1e-5) for method in scale.methods]


def mtip_cells(scale):
    """Table II, for one rank."""
    return [Cell(f"mtip_{task}", 3, kind, "f64", size, points, tolerance=1e-12)
            for task, kind, size, points in scale.mtip]


def all_cells(scale):
    groups = (tolerance_cells, set_cells, size_cells, density_cells, spread_cells, table_cells, mtip_cells)
    return [cell for group in groups for cell in group(SCALES[scale])]


def peer_cells(scale):
    """What FINUFFT computes on the CPU, in the order of its importance, for its time is bounded."""
    chosen = SCALES[scale]
    cells = mtip_cells(chosen) + [cell for cell in tolerance_cells(chosen) if cell.tolerance >= 1e-13]
    return cells + [cell for cell in size_cells(chosen) if cell.dim == 2 and cell.set != "quad"]
