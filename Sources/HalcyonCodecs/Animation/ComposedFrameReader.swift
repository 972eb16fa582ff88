import HalcyonImaging

/// One picture of an animation before it is composed.
struct AnimationPatch {
  var area: PixelArea
  var disposal: FrameDisposal
  /// Whether what is transparent leaves the canvas as it is.
  var isBlended: Bool
  /// How long it is shown, as the file has it.
  var duration: Duration
  /// Opens the picture at its first row.
  var rows: () throws -> any RowSource
}

/// Gives the pictures of an animation in order, as they lie in the file. For one thread at a time.
protocol PictureSource: AnyObject {
  /// The next picture, or `nil` after the last.
  func next() throws -> AnimationPatch?
  func rewind() throws
}

/// Composes the pictures of GIF and APNG one upon the other, on one canvas.
final class ComposedFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let source: any PictureSource
  private let plan: DecodingPlan
  private let graphs: ResampleGraphCache
  private let isCancelled: () -> Bool
  private var canvas: AnimationCanvas?
  private var last: (area: PixelArea, disposal: FrameDisposal)?

  /// - Parameter plan: Made for the size of the canvas, so that its limits have been checked.
  init(
    _ source: any PictureSource, animation: AnimationInfo, plan: DecodingPlan, graphs: ResampleGraphCache,
    isCancelled: @escaping () -> Bool
  ) {
    self.source = source
    self.animation = animation
    self.plan = plan
    self.graphs = graphs
    self.isCancelled = isCancelled
  }

  func nextFrame() throws -> AnimationFrame? {
    guard let picture = try source.next() else { return nil }
    let canvas = try canvas ?? AnimationCanvas(size: plan.info.storedSize)
    self.canvas = canvas
    if let last { canvas.dispose(last.area, last.disposal) }
    if picture.disposal == .restore { canvas.save(picture.area) }
    last = (picture.area, picture.disposal)
    try canvas.draw(
      picture.rows(), at: picture.area, isBlended: picture.isBlended, isCancelled: isCancelled)
    let image = try plan.image {
      try plan.bitmap(isOpaque: !plan.info.hasAlpha, graphs: graphs, isCancelled: isCancelled) {
        CanvasRowSource(canvas, isOpaque: !plan.info.hasAlpha)
      }
    }
    return AnimationFrame(bitmap: image.bitmap, duration: FrameTime.shown(picture.duration))
  }

  func rewind() throws {
    try source.rewind()
    canvas?.clear()
    last = nil
  }
}

/// A still image as an animation of one picture.
final class StillFrameReader: ImageFrameReader {
  let animation = AnimationInfo(frameCount: 1, loopCount: 1)

  private let decode: () throws -> Bitmap
  private var isAtEnd = false

  init(_ decode: @escaping () throws -> Bitmap) {
    self.decode = decode
  }

  func nextFrame() throws -> AnimationFrame? {
    guard !isAtEnd else { return nil }
    isAtEnd = true
    return AnimationFrame(bitmap: try decode(), duration: FrameTime.shown(.zero))
  }

  func rewind() { isAtEnd = false }
}

/// How long browsers show a picture.
enum FrameTime {
  /// What the file says; 100 ms where that is 10 ms or less, which no screen shows and old programs wrote for "soon".
  static func shown(_ duration: Duration) -> Duration {
    duration <= .milliseconds(10) ? .milliseconds(100) : duration
  }

  /// The same for a file that says seconds; what is no number is no time, and no picture stays over a day.
  static func shown(seconds: Double) -> Duration {
    shown(seconds.isFinite ? .seconds(min(seconds, 86_400)) : .zero)
  }
}
