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
/// `XDG_` and `FONTCONFIG_`. It gets no new privileges, and cannot open sockets, where the kernel has seccomp filters.
/// Where it has Landlock, from Linux 5.13 on, it reads the files of the system and of its fonts only; elsewhere those that
/// its user can read.
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

  /// Creates a decoder.
  ///
  /// - Parameters: - helper: The executable of a program that calls ``runHelper()``. - arguments: The arguments with
  ///   which the program calls it. - limits: The limits of one drawing.
  public init(helper: URL, arguments: [String] = [], limits: Limits = Limits()) {
    self.helper = helper
    self.arguments = arguments
    self.limits = limits
  }

  /// SVG only.
  public let formats: Set<ImageFormat> = [.svg]

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
    let request = SVGHelperRequest(drawing, limits)
    let process = try SVGHelperProcess(helper, arguments, input: request.message(with: bytes))
    let output = try process.output(
      byteLimit: drawing.layout.outputSize.pixelCount * 4 + SVGHelperReply.headByteLimit, limits: limits,
      isCancelled: options.isCancelled)
    return drawing.image(try SVGHelperReply.output(in: output, of: drawing.layout.outputSize))
  }

  /// Reads one drawing from standard input, draws it to standard output, and exits.
  ///
  /// The process must have written nothing to standard output before.
  public static func runHelper() -> Never {
    guard let input = try? FileHandle.standardInput.readToEnd(),
      let (request, document) = SVGHelperRequest.read(input)
    else { exit(EXIT_FAILURE) }
    guard halcyon_limit_process(request.cpuSeconds, request.byteCount) == 0 else { exit(EXIT_FAILURE) }
    SVGHelperFiles.confine(for: document)
    let result = Result { try request.drawing.output(of: document, isCancelled: { false }) }
    SVGHelperReply(result).write(result, to: FileHandle.standardOutput)
    exit(EXIT_SUCCESS)
  }
}
#endif
