package import HalcyonImaging

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
  func storedGeometry(for geometry: ResizeGeometry, storedSize: PixelSize) -> ResizeGeometry {
    ResizeGeometry(
      window: storedRectangle(for: geometry.window, storedSize: storedSize),
      outputSize: swapsAxes ? geometry.outputSize.transposed : geometry.outputSize)
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
  private static let blockSide = 32

  /// The bitmap rotated and mirrored upright; the bitmap itself if it is upright already.
  package func upright(from orientation: ImageOrientation) throws -> Bitmap {
    guard orientation != .up else { return self }
    let strides = orientation.strides(storedSize: size)
    let upright = orientation.swapsAxes ? size.transposed : size
    return try Bitmap(size: upright, isOpaque: isOpaque, colorSpace: colorSpace) { output in
      withUnsafeBytes { stored in
        let source = stored.bindMemory(to: UInt32.self)
        let target = output.bindMemory(to: UInt32.self)
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        Self.copy(source + strides.start, strides: strides, to: target, size: upright)
      }
    }
  }

  private static func copy(
    _ source: UnsafePointer<UInt32>, strides: PixelStrides, to target: UnsafeMutablePointer<UInt32>, size: PixelSize
  ) {
    for top in stride(from: 0, to: size.height, by: blockSide) {
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
