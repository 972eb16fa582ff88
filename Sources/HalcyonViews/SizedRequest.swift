@_spi(Programs) import HalcyonImaging
import HalcyonPipeline

/// A request at the size of a display.
struct SizedRequest {
  var request: ImageRequest
  /// In device pixels; `nil` if the size does not depend on the display.
  private(set) var pixelSize: PixelSize?
  /// Whether the image determines a side of the view.
  private var isOpen = false

  init(request: ImageRequest) { self.request = request }

  init(_ request: ImageRequest, in space: DisplaySpace) {
    self.init(request: request)
    (pixelSize, isOpen) = (space.size, space.isOpen)
    self.request.size = space.target
  }

  /// Whether the display has more pixels in width or height than it had for `other`, which has loaded `image`.
  func isLarger(than other: SizedRequest, showing image: DecodedImage) -> Bool {
    guard let pixelSize, let otherSize = other.pixelSize else { return false }
    return pixelSize.exceeds(other.isOpen && !isOpen ? image.size : otherSize)
  }

  /// Whether the display scales images in another way than it did for `other`; a side that is the image's says nothing.
  func differsInMode(from other: SizedRequest) -> Bool {
    switch (request.size, other.request.size) {
    case (.fit, .fit), (.fill, .fill), (.cover, .cover): false
    default: pixelSize != nil && other.pixelSize != nil && !isOpen && !other.isOpen
    }
  }

  /// Whether an image has more than twice as many pixels as the display.
  func needsLess(than image: DecodedImage) -> Bool {
    pixelSize.map { image.size.pixelCount > 2 * $0.pixelCount } ?? false
  }

  /// Whether decoding the original file of an image of this request at a larger size may give more detail.
  func isDownsampled(_ image: DecodedImage) -> Bool {
    image.info.format.abilities.isVector || image.facts.isStoredVariant
      || (request.region?.size ?? image.info.pixelSize).exceeds(image.size)
  }

  /// The size in pixels that an image of this request has when the view does not limit it: that of its file, cropped as the
  /// request says; `nil` if the size does not depend on the display.
  func naturalSize(of image: DecodedImage) -> PixelSize? {
    guard pixelSize != nil, let target = request.size else { return nil }
    let geometry = target.geometry(for: request.region?.size ?? image.info.pixelSize)
    let factor = geometry.window.width / Double(geometry.outputSize.width)
    // Processors may have changed the size, for example by a rotation.
    let whole = image.size == geometry.outputSize || image.info.format.abilities.isVector
    let size =
      whole
      ? (geometry.window.width, geometry.window.height)
      : (Double(image.size.width) * factor, Double(image.size.height) * factor)
    return PixelSize(width: max(1, Int(size.0.rounded())), height: max(1, Int(size.1.rounded())))
  }
}

/// The space of a display for its image, in device pixels.
struct DisplaySpace {
  /// A side that the image determines is larger than any screen.
  let size: PixelSize
  /// Whether the image determines a side.
  let isOpen: Bool
  /// The size at which an image is decoded.
  let target: TargetSize

  /// `nil` before the first layout.
  @MainActor init?(_ display: any ImageDisplay, scale: Double) {
    let displaySize = display.displaySize
    if let size = PixelSize(displaySize, scale: scale) {
      (self.size, isOpen) = (size, false)
      target = display.displayMode.target(size)
      return
    }
    guard let screen = PixelSize(display.screenSize, scale: scale) else { return nil }
    isOpen = true
    if let width = PixelSize.side(displaySize.width, scale) {
      (size, target) = (PixelSize(width: width, height: PixelSize.sideLimit), .fit(width: width))
    } else if let height = PixelSize.side(displaySize.height, scale) {
      (size, target) = (PixelSize(width: PixelSize.sideLimit, height: height), .fit(height: height))
    } else {
      (size, target) = (screen, .fit(width: screen.width, height: screen.height))
    }
  }
}

extension ImageDisplayMode {
  /// The size at which an image is decoded for a display of this mode.
  func target(_ size: PixelSize) -> TargetSize {
    switch self {
    case .fit: .fit(width: size.width, height: size.height)
    case .fill: .fill(width: size.width, height: size.height)
    // Undistorted: the toolkit stretches it, or scales it in its own way.
    case .stretch: .cover(width: size.width, height: size.height)
    }
  }
}

extension PixelSize {
  /// Larger than any screen, and small enough for multiplications.
  fileprivate static let sideLimit = 1_000_000

  /// Rounds up to whole pixels; `nil` unless both sides are positive and finite.
  init?(_ size: ViewSize, scale: Double) {
    guard let width = Self.side(size.width, scale), let height = Self.side(size.height, scale) else { return nil }
    self.init(width: width, height: height)
  }

  /// Whether the width or the height is larger.
  fileprivate func exceeds(_ other: PixelSize) -> Bool { width > other.width || height > other.height }

  fileprivate static func side(_ points: Double, _ scale: Double) -> Int? {
    let pixels = points * scale
    guard pixels > 0, pixels.isFinite, points > 0 else { return nil }
    // 33.3 points at a scale of 3 are 99.9 pixels, rounded up to 100; 100.0001 is a floating-point error, and also 100.
    return max(1, Int(min(Double(sideLimit), (pixels - 1e-3).rounded(.up))))
  }
}
