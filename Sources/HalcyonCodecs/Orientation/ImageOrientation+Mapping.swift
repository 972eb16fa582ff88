package import HalcyonImaging

extension ImageOrientation {
  /// Whether the stored left edge is at the upright right, or at the bottom where axes are swapped.
  private var flipsX: Bool { [.upMirrored, .down, .rightMirrored, .left].contains(self) }

  /// Whether the stored top edge is at the upright bottom, or at the right where axes are swapped.
  private var flipsY: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

  /// Where a rectangle of the upright image lies in the stored one.
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

  /// The geometry of the upright image, as the stored one has to be drawn before it is turned.
  func storedGeometry(for geometry: ResizeGeometry, storedSize: PixelSize) -> ResizeGeometry {
    ResizeGeometry(
      window: storedRectangle(for: geometry.window, storedSize: storedSize),
      outputSize: swapsAxes ? geometry.outputSize.transposed : geometry.outputSize)
  }

  /// The walk over a stored image that meets its pixels in upright order, counted in pixels.
  fileprivate func walk(storedSize: PixelSize) -> PixelWalk {
    let column = flipsX ? -1 : 1
    let row = flipsY ? -storedSize.width : storedSize.width
    let start = (flipsX ? storedSize.width - 1 : 0) + (flipsY ? (storedSize.height - 1) * storedSize.width : 0)
    return PixelWalk(start: start, acrossStep: swapsAxes ? row : column, downStep: swapsAxes ? column : row)
  }
}

/// Offsets of stored pixels, in upright order.
private struct PixelWalk {
  /// The stored pixel at the upright top left.
  var start: Int
  /// From one upright pixel to the next on its right.
  var acrossStep: Int
  /// From one upright pixel to the one below.
  var downStep: Int
}

extension Bitmap {
  /// Side of the square blocks in which pixels are copied: rows of both images then stay in the first cache.
  private static let blockSide = 32

  /// The bitmap turned upright; itself where nothing has to be done.
  func upright(from orientation: ImageOrientation) throws -> Bitmap {
    guard orientation != .up else { return self }
    let walk = orientation.walk(storedSize: size)
    let upright = orientation.swapsAxes ? size.transposed : size
    return try Bitmap(size: upright, pixelFormat: pixelFormat, colorSpace: colorSpace, isOpaque: isOpaque) { output in
      withUnsafeBytes { stored in
        let source = stored.bindMemory(to: UInt32.self)
        let target = output.bindMemory(to: UInt32.self)
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        Self.copy(source + walk.start, walk: walk, to: target, size: upright)
      }
    }
  }

  private static func copy(
    _ source: UnsafePointer<UInt32>, walk: PixelWalk, to target: UnsafeMutablePointer<UInt32>, size: PixelSize
  ) {
    for top in stride(from: 0, to: size.height, by: blockSide) {
      let bottom = min(top + blockSide, size.height)
      for left in stride(from: 0, to: size.width, by: blockSide) {
        let right = min(left + blockSide, size.width)
        for row in top..<bottom {
          let rowSource = source + row * walk.downStep
          let rowTarget = target + row * size.width
          for column in left..<right { rowTarget[column] = rowSource[column * walk.acrossStep] }
        }
      }
    }
  }
}
