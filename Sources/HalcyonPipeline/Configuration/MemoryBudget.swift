import HalcyonCache
@_spi(Programs) public import HalcyonImaging
@_spi(Programs) import HalcyonSupport

/// Memory that is reserved before it is used, so that concurrent work stays within a limit.
///
/// ```swift
/// configuration.memoryBudget = MemoryBudget(byteLimit: 1 << 30)
/// ```
///
/// Reservations are granted in the order of their requests. A reservation that alone exceeds the limit is granted when
/// nothing else is reserved. Several pipelines may share a budget.
public final class MemoryBudget: Sendable {
  /// The most bytes that are reserved together.
  public var byteLimit: Int { permits.limit }
  private let permits: Permits

  /// Half of the memory available to the process, within its control groups, in bytes.
  public static var defaultByteLimit: Int { MemoryCacheConfiguration.defaultCostLimit * 2 }

  /// Creates a budget.
  public init(byteLimit: Int = MemoryBudget.defaultByteLimit) { permits = Permits(limit: byteLimit) }

  /// Runs `body` with reserved memory; blocks the thread until it can be reserved.
  public func withReservation<Result, Failure: Error>(
    _ byteCount: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let byteCount = max(0, byteCount)
    permits.acquireBlocking(byteCount)
    defer { release(byteCount) }
    return try body()
  }

  /// Waits until memory can be reserved.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  package func reserve(_ byteCount: Int) async throws(CancellationError) {
    try await permits.acquire(byteCount)
  }

  /// Ends a reservation.
  package func release(_ byteCount: Int) { permits.release(byteCount) }

  /// Reservations that wait.
  package var waitingCount: Int { permits.waitingCount }
}

extension ImageInfo {
  /// An estimate of the memory, in bytes, to decode the first frame and encode it again, excluding the bytes of the
  /// file.
  ///
  /// - Parameters:
  ///   - outputSize: The size of the decoded image.
  ///   - isProgressive: Whether the file is a progressive JPEG or an interlaced PNG.
  ///   - dynamicRange: The range that the image is decoded to.
  @_spi(Programs) public func decodingByteCount(
    outputSize: PixelSize, isProgressive: Bool = false, dynamicRange: DynamicRange = .standard
  ) -> Int {
    let abilities = format.abilities
    let bytes = abilities.workingBytesPerPixel
    let pixels = abilities.isVector ? outputSize : storedSize
    let working =
      Double(pixels.width) * Double(pixels.height)
      * (isProgressive ? abilities.progressiveBytesPerPixel ?? bytes : bytes)
    // The bitmap, and the encoder's copy in its own colours.
    let bytesPerPixel = Double(2 * dynamicRange.bytesPerPixel)
    let output = Double(outputSize.width) * Double(outputSize.height) * bytesPerPixel
    return Int(clamping: min(working + output, Double(Int.max / 8))) + 1 << 20
  }
}

extension Rendition {
  /// An estimate of the memory that an image takes until it is encoded.
  func byteCount(of file: Renderer.File, _ info: ImageInfo) -> Int {
    // The elements of a document that is sanitised.
    if file.decoder is any SanitizingDecoder, encoding?.format == info.format { return file.data.count * 16 }
    let mayBeProgressive = info.format.abilities.progressiveBytesPerPixel != nil
    let isProgressive = mayBeProgressive && (try? file.decoder.metadata(of: file.data).isProgressive) == true
    let output = size.geometry(for: region?.size ?? info.pixelSize).outputSize
    // An encoder of animations has canvases of its own.
    let canvases = frameLimit > 1 && info.frameCount > 1 ? Double(output.width) * Double(output.height) * 24 : 0
    return info.decodingByteCount(outputSize: output, isProgressive: isProgressive, dynamicRange: dynamicRange)
      + min(max(processingByteCount, 0), .max / 8) + Int(min(canvases, Double(Int.max / 8)))
  }
}
