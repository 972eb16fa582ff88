import HalcyonImaging

/// One frame of an animation as it is stored, before composition.
struct AnimationPatch {
  var area: PixelArea
  var disposal: FrameDisposal
  /// Whether the frame is blended over the canvas; otherwise it replaces it, including alpha.
  var isBlended: Bool
  /// The duration that the file states.
  var duration: Duration
  /// Opens the frame at its first row.
  var rows: () throws -> any RowSource
}

/// Reads the stored frames of an animation in order. For one thread at a time.
protocol FrameSource: AnyObject {
  /// The next frame, or `nil` after the last.
  func next() throws -> AnimationPatch?
  func rewind() throws
}

/// Composes the stored frames of an animation on one canvas.
final class ComposedFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let source: any FrameSource
  private let plan: DecodingPlan
  private let colors: ColorMapping
  private let graphs: ResampleGraphCache
  private let isCancelled: () -> Bool
  private var canvas: AnimationCanvas?
  private var last: (area: PixelArea, disposal: FrameDisposal)?

  /// - Parameters:
  ///   - plan: A plan for the size of the canvas, whose limits have been checked.
  ///   - colors: How the colours of composed frames are converted.
  init(
    _ source: any FrameSource, animation: AnimationInfo, plan: DecodingPlan, colors: ColorMapping = ColorMapping(),
    graphs: ResampleGraphCache,
    isCancelled: @escaping () -> Bool
  ) {
    self.source = source
    self.animation = animation
    self.plan = plan
    self.colors = colors
    self.graphs = graphs
    self.isCancelled = isCancelled
  }

  func nextFrame() throws -> AnimationFrame? {
    guard let patch = try source.next() else { return nil }
    let canvas = try canvas ?? AnimationCanvas(size: plan.info.storedSize)
    self.canvas = canvas
    if let last { canvas.dispose(last.area, last.disposal) }
    if patch.disposal == .restore { canvas.save(patch.area) }
    last = (patch.area, patch.disposal)
    try canvas.draw(patch.rows(), at: patch.area, isBlended: patch.isBlended, isCancelled: isCancelled)
    let image = try plan.image(colors: colors) {
      try plan.bitmap(isOpaque: !plan.info.hasAlpha, graphs: graphs, isCancelled: isCancelled) {
        CanvasRowSource(canvas, isOpaque: !plan.info.hasAlpha)
      }
    }
    return AnimationFrame(bitmap: image.bitmap, duration: FrameDuration.displayed(patch.duration))
  }

  func rewind() throws {
    try source.rewind()
    canvas?.clear()
    last = nil
  }
}
