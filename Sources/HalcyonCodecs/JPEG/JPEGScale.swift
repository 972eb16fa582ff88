import HalcyonImaging

/// How much of its size libjpeg decodes a JPEG image at, in eighths; smaller is faster.
enum JPEGScale: Int32, CaseIterable {
  case eighth = 1
  case quarter = 2
  case half = 4
  case full = 8

  /// The smallest scale that still has two samples a pixel of the result, which keeps the quality of a full decode.
  init(for geometry: ResizeGeometry) {
    let reduction = geometry.reduction
    self = Self.allCases.first { reduction * $0.factor >= 2 } ?? .full
  }

  var factor: Double { Double(rawValue) / 8 }
}
