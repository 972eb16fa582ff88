extension ImageOrientation {
  /// Whether the stored left edge becomes the right edge, or the bottom edge if the axes are swapped.
  private var flipsX: Bool { [.upMirrored, .down, .rightMirrored, .left].contains(self) }

  /// Whether the stored top edge becomes the bottom edge, or the right edge if the axes are swapped.
  private var flipsY: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

  /// The rectangle of the stored image that a rectangle of the upright image shows.
  ///
  /// - Parameters:
  ///   - rectangle: In upright pixels.
  ///   - storedSize: The size of the whole stored image.
  package func storedRectangle(for rectangle: PixelRectangle, storedSize: PixelSize) -> PixelRectangle {
    var stored = swapsAxes ? rectangle.transposed : rectangle
    if flipsX { stored.x = Double(storedSize.width) - stored.x - stored.width }
    if flipsY { stored.y = Double(storedSize.height) - stored.y - stored.height }
    return stored
  }

  /// The geometry for resampling the stored image, before it is rotated upright.
  package func storedGeometry(for geometry: ResizeGeometry, storedSize: PixelSize) -> ResizeGeometry {
    ResizeGeometry(
      window: storedRectangle(for: geometry.window, storedSize: storedSize),
      outputSize: swapsAxes ? geometry.outputSize.transposed : geometry.outputSize)
  }

  private static let turned = [up, right, down, left]
  private static let mirrored = [upMirrored, leftMirrored, downMirrored, rightMirrored]

  /// A clockwise turn by multiples of 90 degrees, then a mirroring of left and right if there is one.
  private init(quarterTurns: Int, isMirrored: Bool) {
    self = (isMirrored ? Self.mirrored : Self.turned)[quarterTurns & 3]
  }

  private var parts: (quarterTurns: Int, isMirrored: Bool) {
    if let count = Self.turned.firstIndex(of: self) { return (count, false) }
    return (Self.mirrored.firstIndex(of: self) ?? 0, true)
  }

  /// The orientation of an image that needs this one and then another.
  package func followed(by next: ImageOrientation) -> ImageOrientation {
    let (first, second) = (parts, next.parts)
    // A turn of a mirrored image is the opposite one before it is mirrored.
    let turns = first.quarterTurns + (first.isMirrored ? -second.quarterTurns : second.quarterTurns)
    return ImageOrientation(quarterTurns: turns, isMirrored: first.isMirrored != second.isMirrored)
  }

  /// The orientation that undoes this one.
  package var inverse: ImageOrientation {
    switch self {
    case .left: .right
    case .right: .left
    default: self
    }
  }

  /// Copies rows of the stored image to their places in the upright one.
  ///
  /// - Parameters:
  ///   - rows: Half floats of the rows of a range; as many as the side of a block (``Bitmap/blockSide``) are copied fastest.
  ///   - upright: All pixels of the upright image.
  package func copy(
    _ rows: UnsafePointer<UInt64>, _ range: Range<Int>, storedSize size: PixelSize,
    toUpright upright: UnsafeMutablePointer<UInt64>
  ) {
    let strides = inverse.strides(storedSize: swapsAxes ? size.transposed : size)
    for left in stride(from: 0, to: size.width, by: Bitmap.blockSide) {
      let right = min(left + Bitmap.blockSide, size.width)
      for row in range {
        let source = rows + (row - range.lowerBound) * size.width
        let target = upright + (strides.start + row * strides.rowStride)
        for column in left..<right { target[column * strides.columnStride] = source[column] }
      }
    }
  }

  /// The strides that visit the pixels of a stored image in upright order.
  fileprivate func strides(storedSize: PixelSize) -> PixelStrides {
    let column = flipsX ? -1 : 1
    let row = flipsY ? -storedSize.width : storedSize.width
    let start = (flipsX ? storedSize.width - 1 : 0) + (flipsY ? (storedSize.height - 1) * storedSize.width : 0)
    return PixelStrides(start: start, columnStride: swapsAxes ? row : column, rowStride: swapsAxes ? column : row)
  }
}

/// Strides through stored pixels in upright order, in pixels.
private struct PixelStrides {
  /// The offset of the stored pixel that is shown at the top left.
  var start: Int
  /// From one upright pixel to its right neighbour.
  var columnStride: Int
  /// From one upright pixel to the pixel below.
  var rowStride: Int
}

extension Bitmap {
  /// The side of the square blocks that are copied at once, so that the rows of both images stay in the L1 cache.
  package static let blockSide = 32

  /// The bitmap rotated and mirrored upright; the bitmap itself if it is upright already.
  ///
  /// - Parameter check: Called now and then, to end by an error.
  package func upright(from orientation: ImageOrientation, check: () throws -> Void = {}) throws -> Bitmap {
    guard orientation != .up else { return self }
    let strides = orientation.strides(storedSize: size)
    let upright = orientation.swapsAxes ? size.transposed : size
    return try Bitmap(size: upright, isOpaque: isOpaque, colorSpace: colorSpace, dynamicRange: dynamicRange) { output in
      try withUnsafeBytes { stored in
        switch dynamicRange {
        case .standard:
          try Self.copy(
            stored.bindMemory(to: UInt32.self), strides, to: output.bindMemory(to: UInt32.self), upright, check)
        case .high:
          try Self.copy(
            stored.bindMemory(to: UInt64.self), strides, to: output.bindMemory(to: UInt64.self), upright, check)
        }
      }
    }
  }

  @inline(__always)
  private static func copy<Pixel>(
    _ source: UnsafeBufferPointer<Pixel>, _ strides: PixelStrides, to target: UnsafeMutableBufferPointer<Pixel>,
    _ size: PixelSize, _ check: () throws -> Void
  ) rethrows {
    guard let source = source.baseAddress.map({ $0 + strides.start }), let target = target.baseAddress else { return }
    for top in stride(from: 0, to: size.height, by: blockSide) {
      try check()
      let bottom = min(top + blockSide, size.height)
      for left in stride(from: 0, to: size.width, by: blockSide) {
        let right = min(left + blockSide, size.width)
        for row in top..<bottom {
          let rowSource = source + row * strides.rowStride
          let rowTarget = target + row * size.width
          for column in left..<right { rowTarget[column] = rowSource[column * strides.columnStride] }
        }
      }
    }
  }
}
