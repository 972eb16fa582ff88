import HalcyonImaging

/// The scale at which a JPEG file is decoded, in eighths; smaller is faster.
enum JPEGScale: Int32, CaseIterable {
  case eighth = 1
  case quarter = 2
  case half = 4
  case full = 8

  /// The smallest scale with at least two samples per output pixel, which keeps the quality of a full decode.
  init(for geometry: ResizeGeometry) {
    let reduction = geometry.reduction
    self = Self.allCases.first { reduction * $0.factor >= 2 } ?? .full
  }

  var factor: Double { Double(rawValue) / 8 }

  /// The size of an image at the scale.
  func size(of whole: PixelSize) -> PixelSize {
    func part(_ length: Int) -> Int { (length * Int(rawValue) + 7) / 8 }
    return PixelSize(width: part(whole.width), height: part(whole.height))
  }
}
