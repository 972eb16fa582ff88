import HalcyonSupport

/// Transforms the pixels of an image.
///
/// A conformer keeps these laws:
/// - The same input and the same ``identifier`` give the same output.
/// - Calls may run concurrently on several threads.
/// - It reads nothing but the bitmap and its own values.
/// - Colours are premultiplied by alpha, so no colour component of a pixel exceeds its alpha.
///
/// ```swift
/// struct Darken: ImageProcessor {
///   let identifier = "darken"
///
///   func process(_ bitmap: Bitmap) throws -> Bitmap { try BuiltInProcessor.brightness(0.5).process(bitmap) }
/// }
/// ```
public protocol ImageProcessor: Sendable {
  /// Identifies the processor and the values of all its parameters; part of the cache key.
  var identifier: String { get }

  /// The processed bitmap. Errors reach the caller as ``ImageError/processingFailed(identifier:cause:url:)``.
  ///
  /// A processor that takes long calls ``checkCancellation()`` now and then.
  func process(_ bitmap: Bitmap) throws -> Bitmap

  /// Whether images of high dynamic range stay so: the processor accepts half floats (``Bitmap/dynamicRange``), and it keeps
  /// every pixel in its place and its colour but for details, so that a gain map of the image applies to the result as well.
  ///
  /// Default: no. It gets the standard picture, as does every other processor of the request.
  var keepsDynamicRange: Bool { get }
}

extension ImageProcessor {
  /// Images become standard.
  public var keepsDynamicRange: Bool { false }

  /// Throws `CancellationError` if the load that this thread processes an image for has been cancelled.
  ///
  /// Pipelines check between processors; a processor checks in its own loops, for example every few rows.
  public func checkCancellation() throws { try CancellationFlag.checkCurrent() }
}

/// The identifier of a built-in processor: its name and its parameters in order, different for different values.
struct ProcessorIdentity {
  private(set) var text: String

  /// Starts with a prefix that distinguishes built-in processors from custom ones of the same name.
  init(_ name: String) { text = "halcyon." + name }

  /// Adds the shortest decimal number that reads back as the same value; -0 becomes 0.
  func adding(_ number: Double) -> ProcessorIdentity { adding(text: "\(number == 0 ? 0 : number)") }

  func adding(_ number: Int) -> ProcessorIdentity { adding(text: "\(number)") }

  func adding(_ color: PixelColor) -> ProcessorIdentity { adding(text: color.description) }

  /// Adds a word without spaces; only the last one may contain spaces.
  func adding(text word: String) -> ProcessorIdentity {
    var longer = self
    longer.text += " " + word
    return longer
  }
}
