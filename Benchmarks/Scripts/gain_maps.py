#!/usr/bin/env python3
"""Makes the files of Tests/HalcyonCodecsTests/Fixtures/hdr: small photographs with gain maps.

    python3 gain_maps.py FOLDER

`uhdr-*` are encoded by libultrahdr, and `uhdr-whole.expected.f16` is what it decodes that file to. The others are put
together here from two JPEG files by Pillow. Their `*.expected.f16` is what a model in NumPy makes of them: rows of RGBA in half floats, little-endian, of linear light in Display P3. Needs imagecodecs, NumPy and Pillow.
"""
import io
import struct
import sys

import imagecodecs
import numpy as np
from PIL import Image

WIDTH, HEIGHT = 96, 64
P3_FROM_SRGB = np.array([[0.822462, 0.177538, 0], [0.0331942, 0.9668058, 0], [0.0170826, 0.0723974, 0.9105199]])


def scene(width=WIDTH, height=HEIGHT):
    """Linear light: a coloured gradient with a lamp of six times white, and a blue disc."""
    y, x = np.mgrid[0:height, 0:width]
    light = np.ones((height, width, 4))
    light[..., 0] = 0.1 + 0.6 * x / width
    light[..., 1] = 0.1 + 0.5 * y / height
    light[..., 2] = 0.3 + 0.2 * np.sin(x / 9) * np.cos(y / 7)
    lamp = np.exp(-(np.hypot((x - 0.7 * width) / width, (y - 0.3 * height) / height) / 0.15) ** 2)
    light[..., :3] += 6 * lamp[..., None] * [1, 0.9, 0.6]
    disc = np.hypot((x - 0.25 * width) / width, (y - 0.7 * height) / height) < 0.1
    light[disc, :3] += [1.2, 2.1, 3]
    return light


def linear(values):
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def encoded(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def jpeg(values, grey=False):
    buffer = io.BytesIO()
    samples = np.round(255 * np.clip(values, 0, 1)).astype(np.uint8)
    Image.fromarray(samples[..., 0] if grey else samples).save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def decoded(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=np.float64) / 255


def unrounded(data):
    """The picture without the rounding of red, green and blue to bytes."""
    image = Image.open(io.BytesIO(data))
    image.draft("YCbCr", None)
    luma, blue, red = np.moveaxis(np.asarray(image, dtype=np.float64), -1, 0) - np.array([0, 128, 128])[:, None, None]
    colors = np.stack([luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue], -1)
    return np.clip(colors / 255, 0, 1)


def enlarged(values, width, height):
    """Bilinear interpolation between the centres of samples."""

    def line(count, target):
        position = np.clip((np.arange(target) + 0.5) * count / target - 0.5, 0, count - 1)
        first = np.minimum(position.astype(int), count - 1)
        return first, np.minimum(first + 1, count - 1), position - first

    (top, bottom, down), (left, right, across) = line(values.shape[0], height), line(values.shape[1], width)
    rows = values[top] + (values[bottom] - values[top]) * down[:, None, None]
    return rows[:, left] + (rows[:, right] - rows[:, left]) * across[None, :, None]


def segment(marker, content):
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def inserted(file, *segments):
    """A JPEG file with segments after its JFIF header."""
    end = 4 + struct.unpack(">H", file[4:6])[0]
    return file[:end] + b"".join(segments) + file[end:]


def xmp(attributes, elements=""):
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"'
        ' xmlns:Container="http://ns.google.com/photos/1.0/container/"'
        ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"' + attributes + ">"
        + elements + "</rdf:Description></rdf:RDF></x:xmpmeta>").encode())


def directory(length):
    return ('<Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item'
            ' Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li><rdf:li rdf:parseType="Resource">'
            f'<Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="{length}"/></rdf:li>'
            '</rdf:Seq></Container:Directory>')


def index(size, offset, length):
    """A multi-picture index in little-endian order, which libultrahdr does not write."""
    entries = struct.pack("<IIIHH", 0x030000, size, 0, 0, 0) + struct.pack("<IIIHH", 0, length, offset, 0, 0)
    return segment(0xE2, b"MPF\0II*\0" + struct.pack("<IH", 8, 3) + struct.pack("<HHI4s", 0xB000, 7, 4, b"0100")
                   + struct.pack("<HHII", 0xB001, 4, 1, 2) + struct.pack("<HHII", 0xB002, 7, 32, 50) + bytes(4) + entries)


def with_index(base, gain_map, packet):
    length = len(index(0, 0, 0))
    file = inserted(base, packet, bytes(length))
    start = file.index(packet) + len(packet)
    content = index(len(file), len(file) - start - 8, len(gain_map))
    return file[:start] + content + file[start + length:] + gain_map


def applied(base, gain_map, low, high, gamma, offset):
    sample = enlarged(decoded(gain_map), WIDTH, HEIGHT) ** (1 / np.array(gamma))
    stops = np.array(low) * (1 - sample) + np.array(high) * sample
    return (linear(unrounded(base)) + offset) * 2 ** stops - offset


def model(data):
    """A file of libultrahdr, whose picture and map have the primaries of Display P3."""
    start = data.rindex(b"\xff\xd8\xff")
    parameters = data.rindex(b"urn:iso:std:iso:ts:21496:-1") + 28 + 5
    values = struct.unpack(">14I", data[parameters:parameters + 56])
    low, high, gamma, offset = (values[index] / values[index + 1] for index in (4, 6, 8, 10))
    return applied(data[:start], data[start:], low, high, gamma, offset)


def write(folder, name, data, light):
    open(f"{folder}/{name}.jpeg", "wb").write(data)
    pixels = np.ones((*light.shape[:2], 4))
    pixels[..., :3] = light
    open(f"{folder}/{name}.expected.f16", "wb").write(pixels.astype("<f2").tobytes())


def main(folder):
    light = scene()
    ultra = imagecodecs.ULTRAHDR
    for name, scale in [("uhdr-whole", 1), ("uhdr-quarter", 4)]:
        data = imagecodecs.ultrahdr_encode(
            light.astype(np.float16), level=90, scale=scale, transfer=ultra.CT.LINEAR, gamut=ultra.CG.DISPLAY_P3,
            crange=ultra.CR.FULL_RANGE)
        # Between the samples of a smaller map, libultrahdr interpolates by distances from their upper left corners.
        expected = imagecodecs.ultrahdr_decode(data, transfer=ultra.CT.LINEAR)[..., :3] if scale == 1 else model(data)
        write(folder, name, data, expected)

    standard = light[..., :3] / (1 + np.maximum(light[..., :3].max(-1, keepdims=True) - 0.8, 0))
    base = jpeg(encoded(standard))
    ratio = np.log2((light[..., :3] + 1 / 64) / (linear(decoded(base)) + 1 / 64))

    # Three channels, listed in elements, found by the index of the file.
    low, high, gamma = ratio.min((0, 1)), ratio.max((0, 1)), [1.0, 1.2, 0.8]
    samples = ((ratio - low) / (high - low)) ** gamma
    listed = "".join(
        f"<hdrgm:{name}><rdf:Seq>" + "".join(f"<rdf:li>{value}</rdf:li>" for value in values)
        + f"</rdf:Seq></hdrgm:{name}>"
        for name, values in [("GainMapMin", low), ("GainMapMax", high), ("Gamma", gamma)])
    gain_map = inserted(jpeg(samples), xmp(f' hdrgm:HDRCapacityMax="{high.max()}"', listed))
    data = with_index(base, gain_map, xmp("", directory(len(gain_map))))
    write(folder, "xmp-channels", data, applied(base, gain_map, low, high, gamma, 1 / 64) @ P3_FROM_SRGB.T)

    # One channel of half the size, found by the list of files in the packet.
    half = ratio.max(-1, keepdims=True).reshape(HEIGHT // 2, 2, WIDTH // 2, 2, 1).mean((1, 3))
    low, high = half.min(), half.max()
    gain_map = inserted(
        jpeg((half - low) / (high - low), grey=True),
        xmp(f' hdrgm:GainMapMin="{low}" hdrgm:GainMapMax="{high}" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="{high}"'
            ' hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625" hdrgm:BaseRenditionIsHDR="False"'))
    data = inserted(base, xmp("", directory(len(gain_map)))) + gain_map
    write(folder, "xmp-half", data, applied(base, gain_map, low, high, 1, 1 / 64) @ P3_FROM_SRGB.T)


main(sys.argv[1])
