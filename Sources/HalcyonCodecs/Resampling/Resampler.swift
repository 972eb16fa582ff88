import HalcyonImaging

#if !IMAGEIO
/// Resamples a window of an image with a Lanczos filter, while its rows are decoded.
struct Resampler {
  /// The image format, for error messages.
  let format: ImageFormat
  /// The window to resample, in possibly fractional samples of the first plane, and the output size.
  let geometry: ResizeGeometry
  let graphs: ResampleGraphCache

  /// The resampled bitmap.
  ///
  /// If a wide result would not fit the CPU cache, zimg splits it into column tiles and reads the source once per tile.
  /// The source is then reopened and buffered as a whole.
  ///
  /// - Parameter makeSource: Opens the image at its first row; called once or twice.
  func bitmap(
    isOpaque: Bool, dynamicRange: DynamicRange = .standard, from makeSource: () throws -> any PlaneSource
  ) throws -> Bitmap {
    try Bitmap(size: geometry.outputSize, isOpaque: isOpaque, dynamicRange: dynamicRange) { output in
      guard let pixels = output.baseAddress else { return }
      if try !resample(makeSource(), into: pixels, buffersWholeSource: false) {
        _ = try resample(makeSource(), into: pixels, buffersWholeSource: true)
      }
    }
  }

  /// Returns `false` if the whole source has to be buffered.
  private func resample(
    _ source: any PlaneSource, into pixels: UnsafeMutableRawPointer, buffersWholeSource: Bool
  ) throws(ImageDecodingError) -> Bool {
    let run: ResampleRun
    do throws(ResamplingError) {
      run = try ResampleRun(
        source: source, graph: graphs.graph(for: source.format, geometry: geometry), outputSize: geometry.outputSize,
        into: pixels, buffersWholeSource: buffersWholeSource)
    } catch {
      throw decodingError(error)
    }
    do throws(ResamplingError) {
      try run.run()
    } catch {
      if run.needsWholeSource { return false }
      throw run.failure ?? decodingError(error)
    }
    try run.drain()
    return true
  }

  private func decodingError(_ error: ResamplingError) -> ImageDecodingError {
    switch error {
    case .outOfMemory: .outOfMemory(geometry.outputSize)
    case .stopped: .cancelled
    case .failed(let reason):
      .unsupportedFeature(
        format, feature: "a shape that cannot be resized to \(geometry.outputSize) pixels (\(reason))")
    }
  }
}
#endif

extension ResizeGeometry {
  /// Source pixels per output pixel, on the axis with fewer.
  var reduction: Double {
    min(window.width / Double(outputSize.width), window.height / Double(outputSize.height))
  }

  /// The same geometry for a source scaled by `factor`.
  func scaled(by factor: Double) -> ResizeGeometry {
    let window = PixelRectangle(
      x: window.x * factor, y: window.y * factor, width: window.width * factor, height: window.height * factor)
    return ResizeGeometry(window: window, outputSize: outputSize)
  }

  /// The same geometry for another size of the source.
  func scaled(from whole: PixelSize, to small: PixelSize) -> ResizeGeometry {
    let (x, y) = (Double(small.width) / Double(whole.width), Double(small.height) / Double(whole.height))
    return ResizeGeometry(
      window: PixelRectangle(x: window.x * x, y: window.y * y, width: window.width * x, height: window.height * y),
      outputSize: outputSize)
  }
}
