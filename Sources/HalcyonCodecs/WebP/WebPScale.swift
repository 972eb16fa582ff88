import HalcyonImaging

/// The size at which libwebp decodes a picture, and what is then drawn of it.
///
/// libwebp makes pictures smaller while it decodes, by averaging. That is cheap and not sharp, so it leaves at least two
/// pixels for one of the result, which are filtered well.
struct WebPScale {
  /// Below this many times smaller nothing is won.
  private static let leastReduction = 1.5

  let size: PixelSize
  let geometry: ResizeGeometry
  let isScaled: Bool

  init(_ plan: DecodingPlan) {
    let whole = plan.info.storedSize
    let reduction = plan.geometry.reduction / 2
    guard reduction >= Self.leastReduction else {
      (size, geometry, isScaled) = (whole, plan.geometry, false)
      return
    }
    let size = PixelSize(
      width: Int((Double(whole.width) / reduction).rounded(.up)),
      height: Int((Double(whole.height) / reduction).rounded(.up)))
    let across = Double(size.width) / Double(whole.width)
    let down = Double(size.height) / Double(whole.height)
    let window = plan.geometry.window
    self.size = size
    geometry = ResizeGeometry(
      window: PixelRectangle(
        x: window.x * across, y: window.y * down, width: window.width * across, height: window.height * down),
      outputSize: plan.geometry.outputSize)
    isScaled = true
  }
}
