import HalcyonImaging

extension DecodingPlan {
  /// The stored picture as the plan wants it, drawn while its rows arrive.
  ///
  /// - Parameter rows: Opens the picture at its first row. It may be asked twice.
  func bitmap(
    isOpaque: Bool, graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool, rows: () throws -> any RowSource
  ) throws -> Bitmap {
    if isWholeImage { return try rows().bitmap(isCancelled: isCancelled) }
    let factor = BoxShrink.factor(for: geometry)
    let resampler = Resampler(
      format: info.format, geometry: geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try resampler.bitmap(isOpaque: isOpaque) {
      let source = try rows()
      let shrunk = factor == 1 ? source : BoxShrink(source, factor: factor, isCancelled: isCancelled)
      return RowPlaneSource(shrunk, isCancelled: isCancelled)
    }
  }
}
