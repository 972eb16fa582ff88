public import HalcyonImaging

/// The processing options of an image URL, with the defaults of imgproxy.
public struct ProcessingOptions: Hashable, Sendable {
  /// How an image is brought to a size.
  public enum ResizingType: String, Hashable, Sendable, CaseIterable {
    /// The whole image inside the size.
    case fit
    /// The size filled, and what is outside cut off.
    case fill
    /// Like ``fill``, but a smaller image is cropped to the aspect ratio of the size.
    case fillDown = "fill-down"
    /// The size exactly, distorted if necessary.
    case force
    /// ``fill`` if image and size are both portrait or both landscape, otherwise ``fit``.
    case auto
  }

  /// Whether, and where on a larger canvas, an image is placed.
  public struct Extension: Hashable, Sendable {
    /// Whether the image is extended. Default: no.
    public var isEnabled = false
    /// The place of the image. Default: the centre.
    package var gravity = Gravity.center
  }

  /// The area of the source that is processed.
  public struct Crop: Hashable, Sendable {
    /// Pixels from 1 on, a share of the width below; 0 is the whole width.
    public var width: Double
    /// Like ``width``, of the height.
    public var height: Double
    /// The place of the area; `nil` is the gravity of the options.
    package var gravity: Gravity?
    /// Whether an area that reaches over the edge of the image is cut off there, and not moved.
    package var isExact = false
  }

  /// The removal of borders.
  public struct Trim: Hashable, Sendable {
    /// How far a component of a border may be from its colour, from 0 on.
    public var threshold: Double
    /// The colour of borders; `nil` is the colour of the upper left pixel.
    public var color: PixelColor?
    /// Whether as much is removed on the left as on the right, and above as below.
    public var equalHorizontally = false, equalVertically = false
  }

  /// The pixels added on each side.
  public struct Padding: Hashable, Sendable {
    /// Pixels above, at the right, below and at the left.
    public var top = 0, right = 0, bottom = 0, left = 0
  }

  /// A mark that is drawn over the result.
  public struct Watermark: Hashable, Sendable {
    /// From 0, invisible, to 1.
    public var opacity: Double
    /// The place of the mark.
    package var gravity = Gravity.center
    /// Whether the mark is repeated over the whole image, with the offsets of ``gravity`` as spaces.
    public var isRepeated = false
    /// The size as a share of the image; 0 is the size of the mark itself.
    public var scale = 0.0
  }

  /// How the image is brought to the size. Default: fit.
  public var resizingType = ResizingType.fit
  /// The width in pixels; 0 follows from the height.
  public var width = 0
  /// The height in pixels; 0 follows from the width.
  public var height = 0
  /// The least width of the result in pixels; 0 is none.
  public var minWidth = 0
  /// The least height of the result in pixels; 0 is none.
  public var minHeight = 0
  /// Factors of width and height, which leave offsets and padding as they are.
  public var zoomX = 1.0, zoomY = 1.0
  /// Pixels per unit: a factor of the size, offsets and padding.
  public var dpr = 1.0
  /// Whether a smaller image is enlarged. Default: no.
  public var enlarge = false
  /// Whether a smaller result is placed on a canvas of the requested size.
  public var extend = Extension()
  /// Whether the result is placed on a canvas of the requested aspect ratio.
  public var extendAspectRatio = Extension()
  /// The part of the image that a crop keeps.
  package var gravity = Gravity.center
  /// The borders that are removed before anything else; `nil` removes none.
  public var trim: Trim?
  /// The area of the source to process; `nil` is all.
  public var crop: Crop?
  /// The pixels added around the result.
  public var padding = Padding()
  /// Whether the orientation of the file is applied; `nil` is the default of the service.
  public var autoRotate: Bool?
  /// The clockwise rotation in degrees: 0, 90, 180 or 270.
  public var rotation = 0
  /// Whether left and right, or top and bottom, are exchanged.
  public var flipsHorizontally = false, flipsVertically = false
  /// The colour behind transparent pixels, extension and padding; `nil` is none.
  public var background: PixelColor?
  /// Added to all colour components, -255 to 255.
  public var brightness = 0
  /// Factor of the contrast.
  public var contrast = 1.0
  /// Factor of the saturation.
  public var saturation = 1.0
  /// The standard deviation of the blur in pixels; 0 is none.
  public var blur = 0.0
  /// The standard deviation of the sharpening mask in pixels; 0 is none.
  public var sharpen = 0.0
  /// The side of a block in pixels; 0 and 1 are none.
  public var pixelate = 0
  /// The mark over the result; `nil` is none.
  public var watermark: Watermark?

  /// The quality in percent; 0 is the format's quality.
  public var quality = 0
  /// The quality in percent of formats, which overrides the configuration's.
  public var formatQuality: [ImageFormat: Int] = [:]
  /// The format of the result; `nil` is the source's.
  public var format: ImageFormat?
  /// The most bytes of the result; 0 is no limit.
  public var maxBytes = 0
  /// Whether the metadata of the source is left out; `nil` is the default of the service.
  public var stripsMetadata: Bool?
  /// Whether results are in sRGB, not in Display P3 where the source has a wider gamut; `nil` is yes.
  public var stripsColorProfile: Bool?
  /// Whether results keep high dynamic range, where their format has room for it and no option changes colours or draws;
  /// `nil` is the default of the service.
  public var preservesHDR: Bool?
  /// Whether artist and copyright are kept nevertheless; `nil` is the default of the service.
  public var keepsCopyright: Bool?
  /// Formats of sources that are not processed.
  public var skippedFormats: Set<ImageFormat> = []
  /// Whether the source is sent as it is.
  public var raw = false
  /// The most pixels of the source, below the limit of the service; `nil` is that limit.
  public var sourcePixelLimit: Int?
  /// The most bytes of the source, below the limit of the service; `nil` is that limit.
  public var sourceByteLimit: Int?
  /// The most frames of an animated result; `nil` is the limit of the service.
  public var animationFrameLimit: Int?
  /// The most pixels of a frame of an animation, in place of a limit for all of them; 0 is none, `nil` the service's.
  public var animationPixelLimit: Int?
  /// The longest side to which a larger result is scaled down; `nil` is the service's limit.
  public var resultDimension: Int?
  /// A text without meaning, which changes the URL.
  public var cacheBuster = ""
  /// When the URL expires, in seconds since 1970; `nil` is never.
  public var expires: Int?
  /// The name of the file, without its extension; empty is the source's.
  public var filename = ""
  /// Whether browsers save the result instead of showing it; `nil` is the default of the service.
  public var returnsAttachment: Bool?

  /// Creates options with the defaults of imgproxy.
  public init() {}

  /// The options with the opacity of the watermark multiplied by a factor.
  public func with(watermarkOpacity factor: Double) -> ProcessingOptions {
    var options = self
    options.watermark?.opacity *= factor
    return options
  }

  /// Whether the area of the source depends on its pixels, so that it has to be decoded in its own size.
  var dependsOnPixels: Bool { trim != nil || cropsSmartly }

  /// Whether the area of the source is a smart crop.
  var cropsSmartly: Bool { crop.map { ($0.gravity ?? gravity).kind == .smart } ?? false }

  /// Whether the result may have more pixels than the source.
  var mayEnlarge: Bool { enlarge || minWidth > 0 || minHeight > 0 || addsPixels }

  /// Whether the result may have pixels around the image.
  public var addsPixels: Bool { extend.isEnabled || extendAspectRatio.isEnabled || padding != Padding() }
}

extension ProcessingOptions.Crop {
  /// An area of some pixels: with its upper left corner at a place, or in the middle. It is cut off at the edges of the
  /// image.
  public init(_ size: PixelSize, at corner: (x: Int, y: Int)? = nil) {
    self.init(
      width: Double(size.width), height: Double(size.height),
      gravity: corner.map { Gravity(.northWest, x: Double($0.x), y: Double($0.y)) } ?? .center,
      isExact: true)
  }
}

extension ProcessingOptions.Trim {
  /// A removal of borders of the colour of the upper left pixel.
  public init(within threshold: Double) { self.init(threshold: threshold) }
}

extension ProcessingOptions.Watermark {
  /// An opaque mark in the lower right corner, some pixels from the edges.
  public init(inset: Int) { self.init(opacity: 1, gravity: Gravity(.southEast, x: Double(inset), y: Double(inset))) }
}
