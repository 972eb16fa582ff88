#if !IMAGEIO
import HalcyonImaging
import HalcyonSupport
import CHalcyonSPNG
import Foundation

extension PNGEncoder: HighDynamicRangeEncoder {
  func file(of bitmap: Bitmap, colorLimit: Int?) throws -> Data {
    try bitmap.withUnsafeBytes { bytes in
      let pixels = bytes.bindMemory(to: UInt8.self)
      guard let start = pixels.baseAddress else { throw ImageEncodingError.failed(.png, reason: "no pixels") }
      if let colorLimit { return try indexedFile(of: pixels, size: bitmap.size, colorLimit: colorLimit) }
      let writer = try PNGWriter()
      let channels = PNGChannels(bitmap)
      try writer.setHeader(bitmap.size, type: channels.colorType, isInterlaced: isInterlaced)
      try writer.start()
      var straight = [UInt8](repeating: 0, count: bitmap.isOpaque ? 0 : bitmap.size.width * 4)
      var row = [UInt8](repeating: 0, count: bitmap.size.width * channels.offsets.count)
      return try writer.finish { index, write in
        let pixels = start + index * bitmap.bytesPerRow
        if bitmap.isOpaque {
          channels.pick(from: pixels, count: bitmap.size.width, into: &row)
        } else {
          AlphaMath.unpremultiply(pixels, count: bitmap.size.width, into: &straight)
          channels.pick(from: straight, count: bitmap.size.width, into: &row)
        }
        try write(row)
      }
    }
  }

  /// A file of half floats: PQ in BT.2020 with 16 bits per channel, and the luminances of its content.
  func perceptualFile(of bitmap: Bitmap) throws -> Data {
    let samples = try PerceptualSamples(bitmap)
    let writer = try PNGWriter()
    let type = samples.channelCount == 3 ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
    try writer.setHeader(bitmap.size, type: type, bitDepth: 16, isInterlaced: isInterlaced)
    try writer.start()
    let rowByteCount = bitmap.size.width * samples.channelCount * 2
    var row = [UInt8](repeating: 0, count: rowByteCount)
    let file = try writer.finish { index, write in
      samples.values.withUnsafeBytes { values in
        row.withUnsafeMutableBytes {
          $0.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: values[index * rowByteCount..<(index + 1) * rowByteCount]))
        }
      }
      try write(row)
    }
    return PNGColor.added(samples.light, to: file)
  }

  /// A file with a colour table.
  ///
  /// - Parameter pixels: Premultiplied RGBA, four bytes a pixel.
  private func indexedFile(of pixels: UnsafeBufferPointer<UInt8>, size: PixelSize, colorLimit: Int) throws -> Data {
    let palette = ColorPalette(pixels, colorLimit: colorLimit)
    var dithering = Dithering(palette)
    let indices = try dithering.indices(pixels, size: size)
    // The depths that the format has.
    let bitDepth = [1, 2, 4, 8].first { $0 >= palette.bitCount } ?? 8
    let writer = try PNGWriter()
    try writer.setHeader(size, type: SPNG_COLOR_TYPE_INDEXED, bitDepth: bitDepth, isInterlaced: isInterlaced)
    try writer.set(palette)
    try writer.start()
    let perByte = 8 / bitDepth
    var row = [UInt8](repeating: 0, count: (size.width + perByte - 1) / perByte)
    return try writer.finish { index, write in
      for byte in row.indices { row[byte] = 0 }
      for column in 0..<size.width {
        row[column / perByte] |= indices[index * size.width + column] << (8 - bitDepth * (column % perByte + 1))
      }
      try write(row)
    }
  }

}

/// The channels of RGBA that a file needs.
private struct PNGChannels {
  let colorType: spng_color_type
  let offsets: [Int]

  init(_ bitmap: Bitmap) {
    (colorType, offsets) =
      switch (bitmap.isGrey, bitmap.isOpaque) {
      case (true, true): (SPNG_COLOR_TYPE_GRAYSCALE, [0])
      case (true, false): (SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, [0, 3])
      case (false, true): (SPNG_COLOR_TYPE_TRUECOLOR, [0, 1, 2])
      case (false, false): (SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, [0, 1, 2, 3])
      }
  }

  func pick(from pixels: UnsafePointer<UInt8>, count: Int, into row: inout [UInt8]) {
    var target = 0
    for pixel in stride(from: 0, to: count * 4, by: 4) {
      for offset in offsets {
        row[target] = pixels[pixel + offset]
        target += 1
      }
    }
  }
}

/// Writes one PNG file through libspng.
private struct PNGWriter: ~Copyable {
  private let context: OpaquePointer

  init() throws(ImageEncodingError) {
    guard let context = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else {
      throw .failed(.png, reason: "out of memory")
    }
    self.context = context
  }

  deinit { spng_ctx_free(context) }

  func setHeader(
    _ size: PixelSize, type: spng_color_type, bitDepth: Int = 8, isInterlaced: Bool
  ) throws(ImageEncodingError) {
    var header = spng_ihdr()
    (header.width, header.height) = (UInt32(size.width), UInt32(size.height))
    (header.bit_depth, header.color_type) = (UInt8(bitDepth), UInt8(type.rawValue))
    header.interlace_method = UInt8((isInterlaced ? SPNG_INTERLACE_ADAM7 : SPNG_INTERLACE_NONE).rawValue)
    try check(spng_set_ihdr(context, &header))
  }

  /// Sets the colour table.
  func set(_ palette: ColorPalette) throws(ImageEncodingError) {
    let premultiplied = palette.colors.flatMap { [UInt8($0.x), UInt8($0.y), UInt8($0.z), UInt8($0.w)] }
    var straight = premultiplied
    AlphaMath.unpremultiply(premultiplied, count: palette.colors.count, into: &straight)
    var table = spng_plte()
    var transparency = spng_trns()
    table.n_entries = UInt32(palette.colors.count)
    // Opaque colours come last, and need no `tRNS` entry.
    transparency.n_type3_entries = UInt32(palette.colors.count { $0.w < 255 })
    withUnsafeMutableBytes(of: &table.entries) { entries in
      entries.copyBytes(from: straight)
    }
    withUnsafeMutableBytes(of: &transparency.type3_alpha) { alphas in
      for (index, color) in palette.colors.enumerated() { alphas[index] = UInt8(color.w) }
    }
    try check(spng_set_plte(context, &table))
    if transparency.n_type3_entries > 0 { try check(spng_set_trns(context, &transparency)) }
    // Filters do not help: the indices of neighbours are not similar.
    try check(spng_set_option(context, SPNG_FILTER_CHOICE, Int32(SPNG_DISABLE_FILTERING.rawValue)))
  }

  func start() throws(ImageEncodingError) {
    try check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1))
    let flags = Int32(SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue)
    try check(spng_encode_image(context, nil, 0, Int32(SPNG_FMT_PNG.rawValue), flags))
  }

  /// The complete file.
  ///
  /// - Parameter row: Writes a row: the bytes of its channels, with straight alpha, or packed palette indices. Called
  ///   once per row, in an interlaced file once per pass that contains it.
  consuming func finish(row: (Int, (_ row: [UInt8]) throws -> Void) throws -> Void) throws -> Data {
    var status = Int32(SPNG_OK.rawValue)
    var count = 0
    while status == Int32(SPNG_OK.rawValue) {
      try CancellationFlag.checkCurrent(atRow: count)
      count += 1
      var next = spng_row_info()
      try check(spng_get_row_info(context, &next))
      try row(Int(next.row_num)) { status = spng_encode_row(context, $0, $0.count) }
    }
    if status != Int32(SPNG_EOI.rawValue) { try check(status) }
    var byteCount = 0
    let bytes = spng_get_png_buffer(context, &byteCount, &status)
    try check(status)
    guard let bytes else { throw ImageEncodingError.failed(.png, reason: "out of memory") }
    return Data(bytesNoCopy: bytes, count: byteCount, deallocator: .free)
  }

  private func check(_ status: Int32) throws(ImageEncodingError) {
    guard status != Int32(SPNG_OK.rawValue) else { return }
    throw .failed(.png, reason: String(cString: spng_strerror(status)))
  }
}
#endif
