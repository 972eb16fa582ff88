"""Colour charts of high dynamic range and of wide gamut, by the formulas of ITU-R BT.2100, for bench-colour and bench-hdr."""
import struct
import subprocess
import zlib

import numpy

REFERENCE_WHITE = 203
PRIMARIES = {  # By the code points of ITU-T H.273: red, green and blue as x and y.
    1: [(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)],
    9: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)],
    12: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)],
}
WHITE = (0.3127, 0.3290)
M1, M2, C1, C2, C3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128


def pq(luminance):
    """PQ of cd/m²."""
    power = numpy.clip(numpy.asarray(luminance, float) / 10000, 0, 1) ** M1
    return ((C1 + C2 * power) / (1 + C3 * power)) ** M2


def pq_luminance(value):
    power = numpy.asarray(value, float) ** (1 / M2)
    return 10000 * (numpy.maximum(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1)


def srgb_light(value):
    value = numpy.asarray(value, float)
    return numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def to_xyz(primaries):
    matrix = numpy.array([[x / y, 1, (1 - x - y) / y] for x, y in PRIMARIES[primaries]]).T
    white = numpy.array([WHITE[0] / WHITE[1], 1, (1 - sum(WHITE)) / WHITE[1]])
    return matrix * numpy.linalg.solve(matrix, white)


def converted(light, source, target):
    """Linear light in other primaries."""
    return light @ numpy.linalg.solve(to_xyz(target), to_xyz(source)).T


def chart(size=4):
    """Colours from 0 to 1 in squares: four rows of greys, then twelve hues, six of them pale, from dark to bright."""
    greys = numpy.linspace(0, 1, 64).reshape(4, 16, 1).repeat(3, 2)
    angles = numpy.arange(12)[:, None] * numpy.pi / 6 + numpy.array([0, 2, 4]) * numpy.pi / 3
    hues = numpy.clip(0.5 + numpy.cos(angles), 0, 1)
    hues[::2] = 0.5 + hues[::2] / 2
    levels = numpy.linspace(0.06, 1, 16)
    colors = numpy.concatenate([greys, hues[:, None, :] * levels[None, :, None]])
    return colors.repeat(size, 0).repeat(size, 1)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(values, chunks=()):
    """A PNG file of RGB from 0 to 1, with 16 bits."""
    samples = numpy.round(values * 65535).astype(">u2")
    height, width, _ = samples.shape
    rows = b"".join(b"\0" + row.tobytes() for row in samples)
    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    content = chunk(b"IHDR", header) + b"".join(chunk(*item) for item in chunks)
    return b"\x89PNG\r\n\x1a\n" + content + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def cicp(primaries, transfer):
    """The chunk with the code points of a picture."""
    return b"cICP", bytes([primaries, transfer, 0, 1])


def hdr_chart():
    """The chart up to 1,000 cd/m², in PQ."""
    return chart() * pq(1000)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
