import HalcyonSupport

/// A processor that crops, turns or resizes, and changes no colours.
package protocol GeometryProcessor: WholeImageProcessor {
  /// What it makes of a bitmap; `nil` for the bitmap itself.
  func geometry(of bitmap: Bitmap) throws -> BitmapGeometry?

  /// Draws the geometry of a bitmap.
  func draw(_ geometry: BitmapGeometry, of bitmap: Bitmap) throws -> Bitmap
}

extension GeometryProcessor {
  package var keepsDynamicRange: Bool { true }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    try geometry(of: bitmap).map { try draw($0, of: bitmap) } ?? bitmap
  }

  package func process(_ image: inout ProcessedImage) throws {
    guard let geometry = try geometry(of: image.bitmap) else { return }
    image.gainMap = try image.gainMap?.with(geometry, of: image.bitmap.size)
    image.bitmap = try draw(geometry, of: image.bitmap)
  }

  package func draw(_ geometry: BitmapGeometry, of bitmap: Bitmap) throws -> Bitmap { try bitmap.with(geometry) }
}

/// The part of an image that is drawn, its size, and how it is turned after that.
package struct BitmapGeometry: Sendable {
  package var resizing: ResizeGeometry
  package var orientation = ImageOrientation.up

  package init(_ resizing: ResizeGeometry, orientation: ImageOrientation = .up) {
    (self.resizing, self.orientation) = (resizing, orientation)
  }

  /// A part in its own size.
  package init(_ area: PixelArea) {
    self.init(
      ResizeGeometry(
        window: PixelRectangle(
          x: Double(area.left), y: Double(area.top), width: Double(area.width), height: Double(area.height)),
        outputSize: area.size))
  }

  /// A turn of the whole image.
  package init(_ orientation: ImageOrientation, of size: PixelSize) {
    self.init(TargetSize.original.geometry(for: size), orientation: orientation)
  }
}

extension ResizeGeometry {
  /// The part of whole pixels that is drawn in its own size; `nil` if it is resized.
  package var area: PixelArea? {
    let area = PixelArea(left: Int(window.x), top: Int(window.y), width: outputSize.width, height: outputSize.height)
    let isWhole =
      Double(area.left) == window.x && Double(area.top) == window.y && Double(area.width) == window.width
      && Double(area.height) == window.height
    return isWhole ? area : nil
  }

  /// The same part of another picture of the image, at the share of its size that the image is drawn at, or more if the
  /// picture is smaller: from half of the image's size on it is not made smaller in vain.
  ///
  /// - Parameters:
  ///   - whole: The size of the image.
  ///   - other: The size of the other picture.
  package func scaled(from whole: PixelSize, toMap other: PixelSize) -> ResizeGeometry {
    let scale = (x: Double(other.width) / Double(whole.width), y: Double(other.height) / Double(whole.height))
    let part = PixelRectangle(
      x: window.x * scale.x, y: window.y * scale.y, width: window.width * scale.x, height: window.height * scale.y)
    func length(_ length: Double, _ scale: Double, _ output: Int) -> Int {
      max(1, Int(min(length, Double(output) * max(scale, 0.5)).rounded()))
    }
    return ResizeGeometry(
      window: part,
      outputSize: PixelSize(
        width: length(part.width, scale.x, outputSize.width), height: length(part.height, scale.y, outputSize.height)))
  }
}

extension Bitmap {
  /// The part of a geometry, at its size and turned.
  package func with(
    _ geometry: BitmapGeometry, isCancelled: () -> Bool = { CancellationFlag.isCurrentCancelled }
  ) throws -> Bitmap {
    let resizing = geometry.resizing
    let part = try resizing.area.map { try cropped(to: $0) } ?? scaled(to: resizing, isCancelled: isCancelled)
    return try part.upright(from: geometry.orientation) { try CancellationFlag.checkCurrent() }
  }

  /// The pixels of an area inside the bitmap.
  private func cropped(to area: PixelArea) throws -> Bitmap {
    guard area.size != size else { return self }
    let pixel = dynamicRange.bytesPerPixel
    return try Bitmap(size: area.size, isOpaque: isOpaque, colorSpace: colorSpace, dynamicRange: dynamicRange) {
      result in
      try withUnsafeBytes { source in
        let rowByteCount = area.width * pixel
        for row in 0..<area.height {
          try CancellationFlag.checkCurrent(atRow: row)
          let start = (area.top + row) * bytesPerRow + area.left * pixel
          UnsafeMutableRawBufferPointer(rebasing: result[(row * rowByteCount)...].prefix(rowByteCount))
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + rowByteCount]))
        }
      }
    }
  }
}

extension GainMap {
  /// The map of an image after a geometry.
  ///
  /// - Parameter size: The size of the image before it.
  package func with(_ geometry: BitmapGeometry, of size: PixelSize) throws -> GainMap {
    let resizing = geometry.resizing.scaled(from: size, toMap: bitmap.size)
    return replacing(try bitmap.with(BitmapGeometry(resizing, orientation: geometry.orientation)))
  }
}
