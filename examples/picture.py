"""Pictures for the examples: arrays side by side as a grey PNG, with nothing but numpy and the standard library."""

import struct
import zlib

import numpy as np


def save(path, rows, gap=4):
    """rows: lists of 2D arrays, each scaled from its least value (black) to its largest (white)."""
    bands = [np.hstack([padded(tile(panel), gap) for panel in row]) for row in rows]
    width = max(band.shape[1] for band in bands)
    page = np.vstack([np.pad(band, ((0, 0), (0, width - band.shape[1])), constant_values=255) for band in bands])
    lines = b"".join(b"\0" + line.tobytes() for line in page)
    head = struct.pack(">IIBBBBB", page.shape[1], page.shape[0], 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def tile(panel):
    panel = np.asarray(panel, float)
    low, high = panel.min(), panel.max()
    return np.uint8(np.round(255 * (panel - low) / ((high - low) or 1)))


def padded(pixels, gap):
    return np.pad(pixels, gap, constant_values=255)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def scatter(x, y, pixels, most=1):
    """How many points fall in each pixel of [-pi, pi)^2, `most` at most, as a picture: rows are x."""
    edges = np.linspace(-np.pi, np.pi, pixels + 1)
    counts, _, _ = np.histogram2d(x, y, bins=(edges, edges))
    return np.minimum(counts, most)
