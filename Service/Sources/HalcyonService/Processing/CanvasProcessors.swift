import Halcyon
import HalcyonImaging

/// Places an image on a transparent canvas of at least a size.
struct CanvasProcessor: ImageProcessor {
  let least: PixelSize
  let gravity: Gravity
  /// The factor of offsets in pixels.
  let scale: Double

  var identifier: String {
    "halcyon.service.canvas \(least) \(gravity.kind.rawValue) \(gravity.x) \(gravity.y) \(scale)"
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let size = PixelSize(width: max(least.width, bitmap.size.width), height: max(least.height, bitmap.size.height))
    let (left, top) = gravity.position(
      of: (bitmap.size.width, bitmap.size.height), in: (size.width, size.height), scale: scale)
    return try bitmap.placed(left: left, top: top, on: size)
  }
}

/// Adds transparent pixels on the sides of an image.
struct PaddingProcessor: ImageProcessor {
  let padding: ProcessingOptions.Padding

  init(_ padding: ProcessingOptions.Padding) { self.padding = padding }

  var identifier: String {
    "halcyon.service.padding \(padding.top) \(padding.right) \(padding.bottom) \(padding.left)"
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let size = PixelSize(
      width: bitmap.size.width + padding.left + padding.right,
      height: bitmap.size.height + padding.top + padding.bottom)
    return try bitmap.placed(left: padding.left, top: padding.top, on: size)
  }
}

/// Blends an image over an opaque colour.
struct FlattenProcessor: ImageProcessor {
  let color: PixelColor

  init(_ color: PixelColor) { self.color = color }

  var identifier: String { "halcyon.service.flatten \(color)" }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    guard !bitmap.isOpaque else { return bitmap }
    let color = color.converted(to: bitmap.colorSpace)
    let backdrop = [color.red, color.green, color.blue, 255].map(Int.init)
    return try mappingPixels(of: bitmap, isOpaque: true) { pixel in
      let rest = 255 - Int(pixel[3])
      for channel in 0..<4 {
        pixel[channel] = UInt8(min(255, Int(pixel[channel]) + (backdrop[channel] * rest + 127) / 255))
      }
    }
  }
}

extension Bitmap {
  /// The image at a position of a transparent canvas, which contains it.
  fileprivate func placed(left: Int, top: Int, on size: PixelSize) throws -> Bitmap {
    guard size != self.size else { return self }
    let rowBytes = self.size.width * 4
    return try Bitmap(size: size, isOpaque: false, colorSpace: colorSpace) { result in
      withUnsafeBytes { source in
        for row in 0..<self.size.height {
          let start = ((top + row) * size.width + left) * 4
          let line = UnsafeRawBufferPointer(rebasing: source[(row * bytesPerRow)...].prefix(rowBytes))
          UnsafeMutableRawBufferPointer(rebasing: result[start...].prefix(rowBytes)).copyMemory(from: line)
        }
      }
    }
  }

  /// A copy whose bytes `change` changes.
  func copy(
    isOpaque: Bool, _ change: (inout UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: isOpaque, colorSpace: colorSpace) { result in
      withUnsafeBytes { result.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(result.count))) }
      var bytes = result
      try change(&bytes)
    }
  }
}

extension ImageProcessor {
  /// A copy of an image in which `change` was applied to the four bytes of each pixel.
  func mappingPixels(
    of bitmap: Bitmap, isOpaque: Bool, _ change: (UnsafeMutableRawBufferPointer) -> Void
  ) throws -> Bitmap {
    try bitmap.copy(isOpaque: isOpaque) { result in
      for start in stride(from: 0, to: result.count, by: 4) {
        if start.isMultiple(of: 1 << 18) { try checkCancellation() }
        change(UnsafeMutableRawBufferPointer(rebasing: result[start..<start + 4]))
      }
    }
  }
}
