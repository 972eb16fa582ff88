import HalcyonImaging

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
