import HalcyonImaging

/// Draws a part of an image at another size, with Lanczos filtering, while its rows arrive.
struct Resampler {
  /// The format of the image, for errors.
  let format: ImageFormat
  /// What is drawn, in samples of the first plane of the source and their fractions, and how large.
  let geometry: ResizeGeometry
  let graphs: ResampleGraphCache

  /// The result as a bitmap.
  ///
  /// zimg cuts a wide result into columns where it would not fit the processor's cache otherwise, and then reads the
  /// source once for each; the source is then made anew and held as a whole.
  ///
  /// - Parameter makeSource: Opens the image at its first row.
  func bitmap(isOpaque: Bool, from makeSource: () throws -> any PlaneSource) throws -> Bitmap {
    try Bitmap(size: geometry.outputSize, isOpaque: isOpaque) { output in
      guard let pixels = output.bindMemory(to: UInt32.self).baseAddress else { return }
      if try !draw(makeSource(), into: pixels, holdsWholeSource: false) {
        _ = try draw(makeSource(), into: pixels, holdsWholeSource: true)
      }
    }
  }

  /// `false` when the whole source has to be held.
  private func draw(
    _ source: any PlaneSource, into pixels: UnsafeMutablePointer<UInt32>, holdsWholeSource: Bool
  ) throws(ImageDecodingError) -> Bool {
    let run: ResampleRun
    do throws(ResamplingError) {
      run = try ResampleRun(
        source: source, graph: graphs.graph(for: source.format, geometry: geometry), outputSize: geometry.outputSize,
        into: pixels, holdsWholeSource: holdsWholeSource)
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
      .unsupportedFeature(format, feature: "a shape that cannot be drawn at \(geometry.outputSize) pixels (\(reason))")
    }
  }
}

extension ResizeGeometry {
  /// Source pixels for each pixel of the result, on the axis that has fewer.
  var reduction: Double {
    min(window.width / Double(outputSize.width), window.height / Double(outputSize.height))
  }

  /// The same geometry for a source whose coordinates are `factor` times as large.
  func scaled(by factor: Double) -> ResizeGeometry {
    let window = PixelRectangle(
      x: window.x * factor, y: window.y * factor, width: window.width * factor, height: window.height * factor)
    return ResizeGeometry(window: window, outputSize: outputSize)
  }
}
