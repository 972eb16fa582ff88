import Foundation
import HalcyonSupport

extension GainMap {
  /// The error in stops above which a map gets three channels or the whole size.
  private static let tolerance: Float = 0.125
  /// The share of pixels that may have a larger error.
  private static let toleratedShare = 0.001

  /// The map with which a standard picture becomes a picture of half floats again; `nil` if nothing is brighter than white.
  ///
  /// The map is grey and has half the size, unless too many pixels would be off by over an eighth of a stop.
  ///
  /// - Parameters:
  ///   - bitmap: The picture of half floats.
  ///   - base: The standard picture of the same size.
  ///   - isSmall: Whether the map has half the size in any case.
  /// - Throws: `CancellationError` once a pipeline needs the map no more, ``ImageDecodingError/outOfMemory(_:)``.
  package static func derived(from bitmap: Bitmap, base: Bitmap, isSmall: Bool = false) throws -> GainMap? {
    guard bitmap.dynamicRange == .high, bitmap.peak > 1 else { return nil }
    var parameters = Parameters()
    return try bitmap.withUnsafeBytes { halves in
      try base.withUnsafeBytes { bytes in
        let source = GainSource(
          halves: halves.bindMemory(to: SIMD4<UInt16>.self), bytes: bytes, size: bitmap.size,
          offset: Float(parameters.offsetSDR.x))
        let survey = try GainSurvey(source, tolerance: tolerance)
        let limit = Int(Double(bitmap.size.pixelCount) * toleratedShare)
        let (isGrey, isHalved) = (survey.coloredCount <= limit, isSmall || survey.detailCount <= limit)
        let (low, high) = (min(survey.low, 0), max(survey.high, 0))
        (parameters.gainMin, parameters.gainMax) = (SIMD3(repeating: Double(low)), SIMD3(repeating: Double(high)))
        parameters.capacityMax = log2(Double(bitmap.peak))
        guard parameters.isValid else { return nil }
        let map = try source.map(isGrey: isGrey, isHalved: isHalved, low, high)
        return GainMap(map, isGrey: isGrey, parameters)
      }
    }
  }
}

/// How much brighter each pixel of a picture is than in its standard form.
private struct GainSource {
  let halves: UnsafeBufferPointer<SIMD4<UInt16>>
  let bytes: UnsafeRawBufferPointer
  let size: PixelSize
  let offset: Float
  private let light = SRGBTransferFunction.lights

  /// The gains of red, green, blue and of the largest channel, in stops.
  func stops(_ column: Int, _ row: Int) -> SIMD4<Float> {
    let index = min(row, size.height - 1) * size.width + min(column, size.width - 1)
    let pixel = halves[index]
    let bright = SIMD3(HalfFloat.number(pixel.x), HalfFloat.number(pixel.y), HalfFloat.number(pixel.z))
      .clamped(lowerBound: .zero, upperBound: SIMD3(repeating: HalfFloat.largest))
    let (red, green, blue) = (bytes[4 * index], bytes[4 * index + 1], bytes[4 * index + 2])
    let shown = SIMD3(light[Int(red)], light[Int(green)], light[Int(blue)])
    let ratios = (SIMD4(bright, bright.max()) + offset) / (SIMD4(shown, shown.max()) + offset)
    return SIMD4(log2(ratios.x), log2(ratios.y), log2(ratios.z), log2(ratios.w))
  }

  /// The gains of two by two pixels.
  func block(_ column: Int, _ row: Int) -> GainBlock {
    GainBlock(
      stops: (stops(column, row), stops(column + 1, row), stops(column, row + 1), stops(column + 1, row + 1)))
  }

  /// The samples of a map, whose lowest and highest values are `low` and `high` stops.
  func map(isGrey: Bool, isHalved: Bool, _ low: Float, _ high: Float) throws -> Bitmap {
    let step = isHalved ? 2 : 1
    let mapSize = PixelSize(width: (size.width + step - 1) / step, height: (size.height + step - 1) / step)
    let scale = high > low ? 255 / (high - low) : 0
    return try Bitmap(size: mapSize, isOpaque: true) { pixels in
      for row in 0..<mapSize.height {
        try CancellationFlag.checkCurrent(atRow: row)
        for column in 0..<mapSize.width {
          let stops = isHalved ? block(2 * column, 2 * row).mean : stops(column, row)
          let levels = ((isGrey ? SIMD4(repeating: stops.w) : stops) - low) * scale
          var sample = SIMD4<UInt8>(clamping: SIMD4<Int32>(levels.rounded(.toNearestOrEven)))
          sample.w = 255
          pixels.storeBytes(of: sample, toByteOffset: 4 * (row * mapSize.width + column), as: SIMD4<UInt8>.self)
        }
      }
    }
  }
}

/// What a map of a picture needs.
private struct GainSurvey {
  private(set) var low = Float.infinity
  private(set) var high = -Float.infinity
  /// The number of pixels of which a grey map would be too far off.
  private(set) var coloredCount = 0
  /// The number of pixels of which a map of half the size would be too far off.
  private(set) var detailCount = 0

  init(_ source: GainSource, tolerance: Float) throws {
    for row in stride(from: 0, to: source.size.height, by: 2) {
      try CancellationFlag.checkCurrent(atRow: row)
      for column in stride(from: 0, to: source.size.width, by: 2) {
        let block = source.block(column, row)
        let mean = block.mean
        block.forEach { stops in
          (low, high) = (min(low, stops.min()), max(high, stops.max()))
          if stops.max() - stops.min() > tolerance { coloredCount += 1 }
          let distance = stops - mean
          if max(distance.max(), -distance.min()) > tolerance { detailCount += 1 }
        }
      }
    }
  }
}

/// The gains of two by two pixels.
private struct GainBlock {
  let stops: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

  var mean: SIMD4<Float> { (stops.0 + stops.1 + stops.2 + stops.3) / 4 }

  func forEach(_ body: (SIMD4<Float>) -> Void) {
    body(stops.0)
    body(stops.1)
    body(stops.2)
    body(stops.3)
  }
}
