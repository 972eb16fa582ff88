"""HEIC and AVIF files with gain maps, and the light that they stand for.

    /usr/bin/python3 Benchmarks/Scripts/heif_gain_maps.py DIR     writes fixtures of the codec tests

The pictures and the maps are encoded by avifenc and heif-enc, the boxes around them are written here. The light comes from
the formulas of ISO 21496-1 and of Apple's article "Applying Apple HDR effect to your photos".
"""
import os
import struct
import sys
import tempfile

import numpy

import color_charts as charts

HEADROOM = 2.5
ISO = {"min": -0.5, "max": HEADROOM, "gamma": 1.25, "base": 1 / 64, "alternate": 1 / 32}
APPLE = {"headroom": 1.2, "gain": 0.3}


def boxes(data):
    position = 0
    while position + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, position)
        yield name, data[position + 8:position + size]
        position += size


def box(name, *content):
    content = b"".join(content)
    return struct.pack(">I4s", 8 + len(content), name) + content


def full(name, version, *content, flags=0):
    return box(name, struct.pack(">I", version << 24 | flags), *content)


def image(file):
    """The type, the properties and the data of a file with one image."""
    meta = dict(boxes(dict(boxes(file))[b"meta"][4:]))
    entry = next(content for name, content in boxes(meta[b"iinf"][6:]) if name == b"infe")
    properties = list(boxes(dict(boxes(meta[b"iprp"]))[b"ipco"]))
    location = meta[b"iloc"]
    version, sizes = location[0], struct.unpack_from(">H", location, 4)[0]
    position = 8 + (6 if version else 4)
    widths = [sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15]
    base = int.from_bytes(location[position:position + widths[2]], "big")
    position += widths[2] + 2
    offset = base + int.from_bytes(location[position:position + widths[0]], "big")
    length = int.from_bytes(location[position + widths[0]:position + widths[0] + widths[1]], "big")
    kept = [p for p in properties if p[0] in (b"av1C", b"hvcC", b"ispe", b"pixi", b"colr")]
    return entry[8:12], kept, file[offset:offset + length]


def combined(brand, items, references, primary=1):
    """A file of items: their types, properties and data."""
    properties, associations = [], b""
    for number, (_, own, _) in enumerate(items, 1):
        indices = []
        for item in own:
            if item not in properties:
                properties.append(item)
            indices.append(properties.index(item) + 1)
        associations += struct.pack(">HB", number, len(indices)) + bytes(indices)

    def meta(start):
        locations, position = b"", start
        for number, (_, _, data) in enumerate(items, 1):
            locations += struct.pack(">HHHII", number, 0, 1, position, len(data))
            position += len(data)
        entries = [full(b"infe", 2, struct.pack(">HH4s", number, 0, kind), b"\0",
                        b"application/rdf+xml\0" if kind == b"mime" else b"", flags=int(number > 1))
                   for number, (kind, _, _) in enumerate(items, 1)]
        return full(
            b"meta", 0, full(b"hdlr", 0, struct.pack(">I4s12s", 0, b"pict", b""), b"\0"),
            full(b"pitm", 0, struct.pack(">H", primary)),
            full(b"iloc", 0, struct.pack(">HH", 0x4400, len(items)), locations),
            full(b"iinf", 0, struct.pack(">H", len(items)), *entries),
            full(b"iref", 0, *(box(kind, struct.pack(f">HH{len(targets)}H", source, len(targets), *targets))
                               for kind, source, targets in references)),
            box(b"iprp", box(b"ipco", *(box(*item) for item in properties)),
                full(b"ipma", 0, struct.pack(">I", len(items)), associations)))

    head = box(b"ftyp", brand, bytes(4), brand, b"mif1", b"miaf")
    start = len(head) + len(meta(0)) + 8
    return head + meta(start) + box(b"mdat", *(data for _, _, data in items))


def iso_parameters():
    def fraction(value):
        return struct.pack(">iI", round(value * 100000), 100000)

    values = [0, HEADROOM, ISO["min"], ISO["max"], ISO["gamma"], ISO["base"], ISO["alternate"]]
    return b"\0" + struct.pack(">HHB", 0, 0, 0x40) + b"".join(map(fraction, values))


def apple_exif():
    note = b"Apple iOS\0\0\1MM" + struct.pack(">H", 2)
    end = len(note) + 2 * 12 + 4
    for index, (tag, value) in enumerate(((33, APPLE["headroom"]), (48, APPLE["gain"]))):
        note += struct.pack(">HHII", tag, 10, 1, end + index * 8)
    note += bytes(4)
    note += b"".join(struct.pack(">ii", round(value * 1000), 1000) for value in APPLE.values())
    directory = struct.pack(">HHHII", 1, 0x8769, 4, 1, 26) + bytes(4)
    details = struct.pack(">HHHII", 1, 0x927C, 7, len(note), 44) + bytes(4)
    return bytes(4) + b"MM\0*" + struct.pack(">I", 8) + directory + details + note


def apple_xmp():
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/">'
        '<HDRGainMap:HDRGainMapVersion>131072</HDRGainMap:HDRGainMapVersion>'
        f'<HDRGainMap:HDRGainMapHeadroom>{2**apple_stops():.6f}</HDRGainMap:HDRGainMapHeadroom>'
        '</rdf:Description></rdf:RDF></x:xmpmeta>').encode()


def apple_stops():
    headroom, gain = APPLE["headroom"], APPLE["gain"]
    if headroom < 1:
        return -20 * gain + 1.8 if gain <= 0.01 else -0.101 * gain + 1.601
    return -70 * gain + 3 if gain <= 0.01 else -0.303 * gain + 2.303


def applied(base, gain_map, kind):
    """The light of values from 0 to 1 in sRGB with values of a map, in Display P3."""
    light, share = charts.srgb_light(base), gain_map[..., None]
    if kind == "iso":
        share = share ** (1 / ISO["gamma"])
        stops = ISO["min"] * (1 - share) + ISO["max"] * share
        light = (light + ISO["base"]) * 2**stops - ISO["alternate"]
    else:
        linear = numpy.where(share < 0.081, share / 4.5, ((share + 0.099) / 1.099) ** (1 / 0.45))
        light = light * (1 + (2**apple_stops() - 1) * linear)
    return charts.converted(light, 1, 12)


def write_fixtures(folder):
    base = numpy.round(charts.chart(8) * 255) / 255
    gains = (numpy.arange(256) * 37 % 256 / 255).reshape(16, 16)

    def encoded(values, suffix, *options):
        with tempfile.TemporaryDirectory() as place:
            source, output = os.path.join(place, "source.png"), os.path.join(place, "output." + suffix)
            with open(source, "wb") as file:
                file.write(charts.png(values, depth=8))
            tool = ["avifenc", "-s", "6", "--min", "0", "--max", "0", "-y"] if suffix == "avif" else ["heif-enc", "-L", "-p"]
            charts.run(*tool, *options, source, *(["-o"] if suffix == "heic" else []), output)
            with open(output, "rb") as file:
                return image(file.read())

    def write(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    # libheif pads smaller pictures than 64 by 64.
    size = numpy.stack([gains.repeat(4, 0).repeat(4, 1)] * 3, -1)
    for suffix, brand in (("avif", b"avif"), ("heic", b"heic")):
        color = "444" if suffix == "avif" else "chroma=444"
        picture = encoded(base, suffix, color)
        gain_map = encoded(size, suffix, "400" if suffix == "avif" else "chroma=420")
        extent = next(item for item in picture[1] if item[0] == b"ispe")
        items = [picture, gain_map, (b"tmap", [extent], iso_parameters())]
        write(f"gain-map-iso.{suffix}", combined(brand, items, [(b"dimg", 3, [1, 2])]))
    kind = (b"auxC", bytes(4) + b"urn:com:apple:photo:2020:aux:hdrgainmap\0")
    items = [picture, (gain_map[0], gain_map[1] + [kind], gain_map[2])]
    for name, item, described in (("apple", (b"Exif", [], apple_exif()), 1), ("apple-xmp", (b"mime", [], apple_xmp()), 2)):
        references = [(b"auxl", 2, [1]), (b"cdsc", 3, [described])]
        write(f"gain-map-{name}.heic", combined(b"heic", items + [item], references))
    for kind in ("iso", "apple"):
        write(f"gain-map-{kind}.half", applied(base[3::8, 3::8], gains, kind).astype("<f2").tobytes())


if __name__ == "__main__":
    write_fixtures(sys.argv[1])
