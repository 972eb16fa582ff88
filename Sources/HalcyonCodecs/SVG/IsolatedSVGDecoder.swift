#if SVG && !IMAGEIO
public import Foundation
public import HalcyonImaging
import CHalcyonSystemShim

/// Renders SVG in a helper process with limits of time and memory, for documents of strangers.
///
/// The decoder of ``StandardCodecs`` estimates the cost of a drawing, and refuses one over its limits; a drawing may
/// still take about ten seconds, and cannot be interrupted. The limits of the helper hold for any document,
/// cancellation ends it, and a crash of a library ends the helper only. Each drawing starts a process, which takes some
/// milliseconds.
///
/// Of the environment the helper gets only `PATH`, `HOME`, `LANG`, `LD_LIBRARY_PATH`, and the variables that begin with
/// `XDG_` and `FONTCONFIG_`. It gets no new privileges. Where the kernel has seccomp filters, it cannot open sockets, and
/// sends signals to itself only. Where the kernel has Landlock, from Linux 5.13 on, it reads the files of the system and of
/// its fonts only; elsewhere those that its user can read. ``checkHelper()`` says whether all of that holds.
///
/// The helper is a program that calls ``runHelper()``, for example the program itself with an argument of its own:
///
/// ```swift
/// if CommandLine.arguments.dropFirst().first == "draw-svg" { IsolatedSVGDecoder.runHelper() }
/// let program = URL(filePath: "/proc/self/exe")
/// var configuration = PipelineConfiguration()
/// configuration.decoders.insert(IsolatedSVGDecoder(helper: program, arguments: ["draw-svg"]), at: 0)
/// ```
public struct IsolatedSVGDecoder: ImageDecoder {
  /// The limits of one drawing.
  public struct Limits: Hashable, Sendable {
    /// The CPU time of the helper in seconds, at least 1. Default: 10.
    public var cpuSeconds = 10
    /// The address space of the helper in bytes, which includes its code and libraries. Default: 2 GiB.
    public var byteCount = 2 << 30
    /// The time until the helper is killed. Default: 20 seconds.
    public var duration = Duration.seconds(20)

    /// Creates limits with the defaults.
    public init() {}
  }

  private let helper: URL
  private let arguments: [String]
  private let limits: Limits
  /// Whether the helper confines itself.
  private var isConfined = true

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - helper: The executable of a program that calls ``runHelper()``.
  ///   - arguments: The arguments with which the program calls it.
  ///   - limits: The limits of one drawing.
  public init(helper: URL, arguments: [String] = [], limits: Limits = Limits()) {
    self.helper = helper
    self.arguments = arguments
    self.limits = limits
  }

  /// SVG only.
  public let formats: Set<ImageFormat> = [.svg]
  /// `true`: only the region is drawn.
  public var decodesRegions: Bool { true }

  /// Reads up to the end of the start tag of the root element, in this process.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try SVGDecoder().probe(bytes, isComplete: isComplete)
  }

  /// Renders a complete file at the target size.
  ///
  /// - Throws: Also `ImageDecodingError.unsupportedFeature` if the helper exceeds a limit, and `POSIXError` if it cannot
  ///   be started, for example `EMFILE` in a program that has no descriptors left.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let drawing = try SVGDecoder().drawing(of: bytes, options: options)
    return drawing.image(try run(drawing, of: bytes, options).drawing)
  }

  private func run(
    _ drawing: SVGDrawing, of bytes: Data, _ options: DecodingOptions
  ) throws -> (reply: SVGHelperReply, drawing: SVGDrawing.Output) {
    let request = SVGHelperRequest(drawing, limits, isConfined: isConfined)
    let process = try SVGHelperProcess(helper, arguments, input: request.message(with: bytes))
    let size = drawing.layout.outputSize
    let output = try process.output(
      byteLimit: size.pixelCount * 4 + SVGHelperReply.headByteLimit, limits: limits, isCancelled: options.isCancelled)
    return try SVGHelperReply.read(output, of: size)
  }

  /// Has the helper draw a small document, so that a program learns at its start what would fail later.
  ///
  /// Where a filter of system calls ends a helper that confines itself, as that of systemd 252 does, the helper of this
  /// decoder does not confine itself from now on: its limits, and what its filter leaves it, still hold.
  ///
  /// - Returns: Whether the helper is confined: to the files of the system and of its fonts, and to signals to itself.
  /// - Throws: `POSIXError` if it cannot be started, and `ImageDecodingError` if it draws nothing.
  public mutating func checkHelper() throws -> Bool {
    let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".utf8)
    let drawing = try SVGDecoder().drawing(of: document, options: DecodingOptions())
    do {
      return try run(drawing, of: document, DecodingOptions()).reply.isConfined == true
    } catch ImageDecodingError.unsupportedFeature where isConfined {
      // Only here: a document must not be able to do that.
      isConfined = false
      _ = try run(drawing, of: document, DecodingOptions())
      return false
    }
  }

  /// Reads one drawing from standard input, draws it to standard output, and exits.
  ///
  /// The process must have written nothing to standard output before.
  public static func runHelper() -> Never {
    guard let input = try? FileHandle.standardInput.readToEnd(),
      let (request, document) = SVGHelperRequest.read(input)
    else { exit(EXIT_FAILURE) }
    guard halcyon_limit_process(request.cpuSeconds, request.byteCount) == 0 else { exit(EXIT_FAILURE) }
    let isConfined = request.isConfined && confine(for: document)
    let result = Result { try request.drawing.output(of: document, isCancelled: { false }) }
    SVGHelperReply(result, isConfined: isConfined).write(result, to: FileHandle.standardOutput)
    exit(EXIT_SUCCESS)
  }

  /// Leaves this process what a drawing needs, as far as the kernel can.
  ///
  /// - Returns: Whether all of it holds.
  static func confine(for document: Data) -> Bool {
    let refusesSignals = halcyon_refuse_signals() == 0
    return SVGHelperFiles.confine(for: document) && refusesSignals
  }
}
#endif
