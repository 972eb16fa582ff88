import HalcyonImaging

/// The code that resamples rows. Both give the same image, save for rounding, as `LanczosResamplerTests` checks.
package enum LanczosImplementation: Sendable {
  /// ``LanczosResampler``, and for half floats ``Bitmap/scaled(to:isCancelled:)``, on every platform.
  case swift
  #if !IMAGEIO
  /// zimg, which uses the vector instructions of the processor that it runs on.
  case zimg
  #endif

  /// The fastest implementation on this platform.
  package static var standard: LanczosImplementation {
    #if !IMAGEIO
    .zimg
    #else
    .swift
    #endif
  }
}

/// Crops and resamples an image with a Lanczos filter while its rows are decoded.
struct RowResampler {
  /// The image format, for error messages.
  let format: ImageFormat
  /// The window to resample, in possibly fractional pixels of the rows, and the output size.
  let geometry: ResizeGeometry
  let graphs: ResampleGraphCache
  var implementation = LanczosImplementation.standard
  let isCancelled: () -> Bool

  /// - Parameter rows: Opens the image at its first row; called once or twice.
  func bitmap(isOpaque: Bool, dynamicRange: DynamicRange = .standard, rows: () throws -> any RowSource) throws -> Bitmap
  {
    switch implementation {
    case .swift where dynamicRange == .high:
      try rows().bitmap(isCancelled: isCancelled).scaled(to: geometry, isCancelled: isCancelled)
    case .swift:
      try LanczosResampler(geometry: geometry, isCancelled: isCancelled).bitmap(isOpaque: isOpaque, from: rows())
    #if !IMAGEIO
    case .zimg where dynamicRange == .high: try halfFloatPlanes(isOpaque: isOpaque, rows: rows)
    case .zimg: try planes(isOpaque: isOpaque, rows: rows)
    #endif
    }
  }

  #if !IMAGEIO
  private func halfFloatPlanes(isOpaque: Bool, rows: () throws -> any RowSource) throws -> Bitmap {
    try Resampler(format: format, geometry: geometry, graphs: graphs).bitmap(isOpaque: isOpaque, dynamicRange: .high) {
      try HalfFloatPlaneSource(rows(), isCancelled: isCancelled)
    }
  }

  private func planes(isOpaque: Bool, rows: () throws -> any RowSource) throws -> Bitmap {
    let factor = BoxShrink.factor(reduction: geometry.reduction)
    let resampler = Resampler(format: format, geometry: geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try resampler.bitmap(isOpaque: isOpaque) {
      let source = try rows()
      let shrunk =
        factor == 1 ? source : BoxShrink(source, across: factor, down: factor, isCancelled: isCancelled)
      return RowPlaneSource(shrunk, isCancelled: isCancelled)
    }
  }
  #endif
}
