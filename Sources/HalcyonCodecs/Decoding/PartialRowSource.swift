@_spi(Programs) import HalcyonImaging

/// The rows of a damaged image before the damage, then transparent ones.
final class PartialRowSource: RowSource {
  let size: PixelSize
  let isOpaque = false
  let dynamicRange: DynamicRange

  private var rows: (any RowSource)?
  private var rowCount = 0

  /// - Parameters:
  ///   - dynamicRange: Whether the pixels are bytes or half floats.
  ///   - open: Opens the image at its first row.
  /// - Throws: The errors of `open`, unless the file only ends too early.
  init(
    size: PixelSize, dynamicRange: DynamicRange = .standard, _ open: () throws(ImageDecodingError) -> any RowSource
  ) throws(ImageDecodingError) {
    (self.size, self.dynamicRange) = (size, dynamicRange)
    do throws(ImageDecodingError) {
      rows = try open()
    } catch {
      try accept(error)
    }
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    do throws(ImageDecodingError) {
      if let rows {
        try rows.readRow(into: row)
        rowCount += 1
        return
      }
    } catch {
      try accept(error)
    }
    row.update(repeating: 0, count: size.width * dynamicRange.bytesPerPixel)
  }

  func finish() {}

  /// Ends the rows at the damage. Damage before the first row is an error, unless the file only ends there: more of it
  /// may be received.
  private func accept(_ error: ImageDecodingError) throws(ImageDecodingError) {
    guard error.isDamage, rowCount > 0 || error.isTruncation else { throw error }
    rows = nil
  }
}

extension DecodingOptions {
  /// The image that `whole` returns or, if it throws because of damage and the options allow a partial image, the one that
  /// `part` returns.
  func image(whole: () throws -> DecodedImage, part: () throws -> DecodedImage) throws -> DecodedImage {
    do {
      return try whole()
    } catch let error as ImageDecodingError where error.isDamage && allowsPartialImage {
      return try part()
    }
  }
}
