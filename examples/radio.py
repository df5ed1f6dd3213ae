#!/usr/bin/env python3
"""What a radio interferometer measures of a wide field, and the image that comes back: type 3, from the sky to baselines.

A pair of antennas at the distance (u, v, w), in wavelengths, measures the visibility

    V(u, v, w) = sum over sources of S / n exp(-2 pi i (u l + v m + w (n - 1))),    n = sqrt(1 - l^2 - m^2)

of sources with the flux S at the direction cosines l, m. The antennas stand in a Y as those of the Very Large Array, and the
Earth turns them under the sky. Neither directions nor baselines lie on a grid, and in a wide field w matters. The adjoint
gives the image: once in three dimensions, once in two, as if w were 0, which smears what is far from the centre.

    python3 examples/radio.py          # writes offgrid-radio.png: the u-v plane, the image with w, the image without
"""
import argparse
import sys

import needs

with needs.packages("numpy", "offgrid"):
    import numpy as np
    import offgrid

import picture

LATITUDE, DECLINATION = np.radians(34.08), np.radians(50)
WAVELENGTH = 4.05  # metres: 74 MHz
TOL = 1e-6


def antennas(longest=590.0):
    """East and north of 27 antennas in metres: three arms, whose radii grow by a power law."""
    radius = longest * (np.arange(1, 10) / 9) ** 1.716
    azimuth = np.radians([-5, 115, 235])
    return np.outer(np.sin(azimuth), radius).ravel(), np.outer(np.cos(azimuth), radius).ravel()


def baselines(east, north, hours):
    """(u, v, w) of all pairs at all hour angles, in wavelengths."""
    x, y, z = -np.sin(LATITUDE) * north, east, np.cos(LATITUDE) * north
    first, second = np.triu_indices(east.size, 1)
    x, y, z = ((axis[second] - axis[first])[:, None] / WAVELENGTH for axis in (x, y, z))
    angle = np.radians(15 * hours)
    towards, across = np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y
    u, v = across, -np.sin(DECLINATION) * towards + np.cos(DECLINATION) * z
    w = np.cos(DECLINATION) * towards + np.sin(DECLINATION) * z
    return tuple(axis.ravel() for axis in (u, v, w))


def directions(el, em):
    """(l, m, n - 1)."""
    return el, em, np.sqrt(1 - el**2 - em**2) - 1


def make_plan(field, targets):
    """From the sky to baselines, for any sources or pixels of the field: its box is known before they are."""
    plan = offgrid.Plan(3, 3, TOL, sign=-1)
    edge = directions(field, field)[2]
    plan.set_boxes(points=((-field, -field, edge), (field, field, 0)),
                   targets=([axis.min() for axis in targets], [axis.max() for axis in targets]))
    print(f"the grids take {plan.get('memory_bytes') / 2**20:.0f} MiB")
    plan.set_targets(targets)
    return plan


def dirty(plan, points, visibilities):
    """The image at these points: the adjoint."""
    plan.set_points(points)
    return plan.adjoint(visibilities).real / visibilities.size


def flat(points, targets, visibilities):
    """The same as if w were 0: a type 3 in two dimensions, from the baselines to the sky."""
    return offgrid.nufft3(targets[:2], visibilities, points[:2], TOL).real / visibilities.size


def error(found, points, strengths, targets, sign):
    """Relative l2 error, against direct sums, at a few targets."""
    some = np.random.default_rng(2).integers(0, targets[0].size, 200)
    phase = sum(np.outer(s[some], x) for x, s in zip(points, targets))
    exact = np.exp(1j * sign * phase) @ strengths
    exact = exact if np.iscomplexobj(found) else exact.real / strengths.size
    return np.linalg.norm(found[some] - exact) / np.linalg.norm(exact)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=300)
    parser.add_argument("--times", type=int, default=200, help="hour angles from -4 h to 4 h")
    parser.add_argument("--field", type=float, default=0.2, help="half of the field's width, as a direction cosine")
    parser.add_argument("--pixels", type=int, default=256, help="of the image, along each axis")
    parser.add_argument("--output", default="offgrid-radio.png")
    chosen = parser.parse_args()
    random = np.random.default_rng(1)
    sky = directions(*random.uniform(-chosen.field, chosen.field, (2, chosen.sources)))
    strengths = (1 / random.uniform(0.02, 1, chosen.sources) / (1 + sky[2])).astype(complex)
    side = np.linspace(-chosen.field, chosen.field, chosen.pixels)
    pixels = directions(*(axis.ravel() for axis in np.meshgrid(side, side, indexing="ij")))
    uvw = baselines(*antennas(), np.linspace(-4, 4, chosen.times))
    targets = tuple(2 * np.pi * axis for axis in uvw)
    print(f"{uvw[0].size} baselines, the longest of {np.linalg.norm(uvw, axis=0).max():.0f} wavelengths")

    plan = make_plan(chosen.field, targets)
    plan.set_points(sky)
    visibilities = plan.execute(strengths)
    image, without_w = dirty(plan, pixels, visibilities), flat(pixels, targets, visibilities)
    errors = (error(visibilities, sky, strengths, targets, -1), error(image, targets, visibilities, pixels, +1))
    print(f"relative errors: visibilities {errors[0]:.1e}, image {errors[1]:.1e}; asked for {TOL:g}")

    bright = strengths.real > np.quantile(strengths.real, 0.9)
    kept, kept_flat = (found[bright].sum() / strengths.real[bright].sum()
                       for found in (dirty(plan, sky, visibilities), flat(sky, targets, visibilities)))
    print(f"of the flux of the brightest tenth, the image has {kept:.2f} at their places, without w {kept_flat:.2f}")
    size = (chosen.pixels,) * 2
    coverage = picture.scatter(*(3.1 * np.r_[axis, -axis] / np.abs(uvw[:2]).max() for axis in uvw[:2]), chosen.pixels, 100)
    # Counts by their logarithm, fluxes by their root: so faint ones are seen beside bright ones.
    picture.save(chosen.output, [[np.log1p(coverage), *(np.sqrt(np.clip(shown, 0, np.quantile(image, 0.998))).reshape(size)
                                                        for shown in (image, without_w))]])
    print(f"wrote {chosen.output}: the u-v plane, the image with w, the image without")
    return 0 if max(errors) <= TOL and 0.8 < kept < 1.2 and kept_flat < 0.6 * kept else 1


if __name__ == "__main__":
    sys.exit(main())
