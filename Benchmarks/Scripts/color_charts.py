"""Colour charts of high dynamic range and of wide gamut, and what they look like on a usual display.

    /usr/bin/python3 Benchmarks/Scripts/color_charts.py DIR     writes the fixtures of the codec tests

An independent model of the conversions, from the formulas of ITU-R BT.2100 and SMPTE ST 2094-50. On Debian:
`Scripts/install-packages python3-numpy libavif-bin libjxl-tools libheif-examples`.
"""
import os
import struct
import subprocess
import sys
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


def hlg_light(value):
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * numpy.log(4 * a)
    value = numpy.asarray(value, float)
    return numpy.where(value <= 0.5, value * value / 3, (numpy.exp((value - c) / a) + b) / 12)


def srgb(light):
    light = numpy.clip(light, 0, 1)
    return numpy.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


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


def tone_mapped(light, peak):
    """Luminances relative to reference white, by the operator of SMPTE ST 2094-50, annex C, for a headroom of 0."""
    headroom = numpy.log2(peak / REFERENCE_WHITE)
    if headroom <= 0:
        return light
    white = 1 - 0.5 * min(headroom / numpy.log2(1000 / REFERENCE_WHITE), 1)
    end, bend = peak / REFERENCE_WHITE, 0.65
    x, y = 1 - bend + bend / white, (1 - bend) * white + bend
    a, b, c = 1 - 2 * x + end, 2 * (x - 1), 1 - light
    root = numpy.sqrt(numpy.maximum(b * b - 4 * a * c, 0))
    t = numpy.clip(-2 * c / (b + root), 0, 1)
    curve = white * (1 - t) ** 2 + 2 * y * t * (1 - t) + t * t
    return numpy.where(light <= 1, white * light, numpy.where(light >= end, 1, curve))


def bt2020_light(values, primaries, transfer):
    """Linear light of BT.2020 relative to reference white, of values from 0 to 1 of PQ (16) or HLG (18)."""
    if transfer == 16:
        return converted(pq_luminance(values) / REFERENCE_WHITE, primaries, 9)
    light = converted(hlg_light(values), primaries, 9)
    luminance = numpy.maximum(light @ to_xyz(9)[1], 0)
    return 1000 / REFERENCE_WHITE * light * luminance[..., None] ** 0.2


def half_floats(values, primaries, transfer):
    """The middle of each square of a chart in linear light of Display P3, as bytes."""
    return converted(bt2020_light(values, primaries, transfer), 9, 12)[1::4, 1::4].astype("<f2").tobytes()


def shown(values, primaries, transfer, peak=1000, target=1):
    """Values from 0 to 1 of PQ (16) or HLG (18), as values from 0 to 1 of sRGB or, with target 12, Display P3."""
    light, peak = bt2020_light(values, primaries, transfer), peak if transfer == 16 else 1000
    largest = numpy.maximum(light.max(-1, keepdims=True), 1e-9)
    light = numpy.maximum(converted(light * tone_mapped(largest, peak) / largest, 9, target), 0)
    luminance = numpy.minimum(light @ to_xyz(target)[1], 1)[..., None]
    largest = light.max(-1, keepdims=True)
    return srgb(light + 0.1 * numpy.maximum(largest - 1, 0) ** 2 * (luminance - light))


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


def png(values, chunks=(), depth=16, interlaced=False):
    """A PNG file of RGB or RGBA from 0 to 1."""
    samples = numpy.round(values * (2**depth - 1)).astype(">u2" if depth == 16 else "u1")
    height, width, channels = samples.shape
    steps = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    parts = [samples[y::down, x::across] for x, y, across, down in steps] if interlaced else [samples]
    rows = b"".join(b"\0" + row.tobytes() for part in parts for row in part if part.shape[1] > 0)
    header = struct.pack(">IIBBBBB", width, height, depth, 6 if channels == 4 else 2, 0, 0, int(interlaced))
    content = chunk(b"IHDR", header) + b"".join(chunk(*item) for item in chunks)
    return b"\x89PNG\r\n\x1a\n" + content + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def cicp(primaries, transfer):
    return b"cICP", bytes([primaries, transfer, 0, 1])


def with_color(heic, primaries, transfer, matrix):
    """A HEIC file of heif-enc, which writes no `nclx` and uses the matrix of BT.601, with that property."""
    box = struct.pack(">I4s4sHHHB", 19, b"colr", b"nclx", primaries, transfer, matrix, 0x80)
    end = heic.index(b"ipma") - 4
    heic = heic[:end] + box + heic[end:]
    association = heic.index(b"ipma") + 14
    count = heic[association]
    last = association + 1 + count
    heic = heic[:association] + bytes([count + 1]) + heic[association + 1:last] + b"\x04" + heic[last:]

    def add(position, amount):
        value, = struct.unpack_from(">I", heic, position)
        return heic[:position] + struct.pack(">I", value + amount) + heic[position + 4:]

    for name, amount in ((b"meta", 20), (b"iprp", 20), (b"ipco", 19), (b"ipma", 1)):
        heic = add(heic.index(name) - 4, amount)
    return add(heic.index(b"iloc") + 16, 20)


def hdr_chart(transfer):
    """The chart up to 1,000 cd/m²."""
    return chart() * (pq(1000) if transfer == 16 else 1)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_fixtures(folder):
    def write(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    for transfer, name, space in ((16, "pq", "PeQ"), (18, "hlg", "HLG")):
        values = hdr_chart(transfer)
        source = os.path.join(folder, f"hdr-{name}.png")
        write(f"hdr-{name}.png", png(values, [cicp(9, transfer)]))
        write(f"hdr-{name}.expected.png", png(shown(values, 9, transfer), depth=8))
        write(f"hdr-{name}.half", half_floats(values, 9, transfer))
        run("avifenc", "-y", "444", "-d", "10", "--min", "0", "--max", "0", "--cicp", f"9/{transfer}/9",
            source, source[:-3] + "avif")
        for distance, suffix in ((0, ""), (0.1, "-xyb")):
            run("cjxl", source, f"{source[:-4]}{suffix}.jxl", "-d", str(distance),
                "-x", f"color_space=RGB_D65_202_Rel_{space}")
    values = hdr_chart(16)
    write("hdr-pq-p3.png", png(values, [cicp(12, 16)]))
    write("hdr-pq-p3.expected.png", png(shown(values, 12, 16), depth=8))
    write("hdr-pq-p3.half", half_floats(values, 12, 16))
    write("hdr-pq-to-p3.expected.png", png(shown(values, 9, 16, target=12), depth=8))
    write("hdr-pq-interlaced.png", png(values, [cicp(9, 16)], interlaced=True))
    light = b"cLLI", struct.pack(">II", 400 * 10000, 100 * 10000)
    write("hdr-pq-400.png", png(values, [cicp(9, 16), light]))
    write("hdr-pq-400.expected.png", png(shown(values, 9, 16, peak=400), depth=8))
    source, output = os.path.join(folder, "hdr-pq.png"), os.path.join(folder, "hdr-pq.heic")
    run("heif-enc", "-L", "-b", "10", "-p", "chroma=444", source, "-o", output)
    with open(output, "rb") as file:
        heic = file.read()
    write("hdr-pq.heic", with_color(heic, 9, 16, 6))


if __name__ == "__main__":
    write_fixtures(sys.argv[1])
