import HalcyonTestDoubles
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import Foundation
import HalcyonTesting
import HalcyonTestSupport

/// A view, and a server whose images have the size in their name: `http://example.com/40x20`.
///
/// The server responds with 404 to `gone` and with 503 to `down`. Held images wait for ``release(_:)``, those whose name
/// begins with `pieces-` after their first 13 bytes; `cancelled` records the names of the cancelled transfers.
@MainActor
struct ViewFixture {
  let clock = TestClock()
  let display = RecordingDisplay()
  let binder: ImageViewBinder
  let fixture: PipelineFixture
  let cancelled = EventLog<String>()
  /// The results of `setImage`, in order of completion.
  let ends = EventLog<String>()
  private let gates: [String: Gate]

  init(holding names: [String] = [], configure: (inout PipelineConfiguration) -> Void = { _ in }) {
    let gates = Dictionary(uniqueKeysWithValues: names.map { ($0, Gate()) })
    self.gates = gates
    fixture = PipelineFixture { configuration in
      configuration.options.retryStrategy = .never
      configure(&configuration)
    } script: { [cancelled] request in
      let name = request.url.lastPathComponent
      if name.hasPrefix("pieces-") { return Self.pieces(name, heldBy: gates[name]) }
      do { try await gates[name]?.wait() } catch {
        cancelled.record(name)
        throw error
      }
      return Self.reply(name)
    }
    binder = ImageViewBinder(display: display, time: clock) { [fixture] in fixture.pipeline }
  }

  nonisolated private static func reply(_ name: String) -> ScriptedTransport.Reply {
    let sides = name.split(separator: "x").compactMap { UInt16($0) }
    guard sides.count == 2 else { return .response(status: name == "gone" ? 404 : 503, body: Data()) }
    return .response(body: SolidImage(width: sides[0], height: sides[1]).data)
  }

  nonisolated private static func pieces(_ name: String, heldBy gate: Gate?) -> ScriptedTransport.Reply {
    guard case .response(_, let body, _, _, _) = reply(String(name.dropFirst(7))) else { return .failure(.cancelled) }
    return .response(body: body, pieceByteCount: 13) { try? await gate?.wait() }
  }

  func url(_ name: String) -> URL { fixture.url.deletingLastPathComponent().appending(path: name) }

  func request(_ name: String) -> ImageRequest { ImageRequest(url: url(name)) }

  /// Lets all transfers of a held image continue.
  func release(_ name: String) { gates[name]?.open() }

  /// Lets one transfer of a held image continue.
  func releaseOnce(_ name: String) { gates[name]?.release() }

  /// Waits until a held image has been requested.
  func waitForRequest(_ name: String) async throws { try await gates[name]?.waitUntilHolding() }

  /// The display has another size, and keeps it until its image is loaded again.
  func rest() async {
    binder.displayDidChange()
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(150))
  }

  /// Loads an image into memory, by default at the size of the view.
  func warm(_ name: String, size: TargetSize = .fit(width: 100, height: 100)) async throws {
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url(name), size: size))
  }

  /// Sets an image, and records its result in `ends`.
  @discardableResult
  func set(
    _ name: String, on binder: ImageViewBinder? = nil, placeholder: ImagePlaceholder? = .icon("dots"),
    _ change: (inout ImageViewOptions) -> Void = { _ in }
  ) -> ImageViewLoad? {
    set(request(name), on: binder, placeholder: placeholder, change)
  }

  @discardableResult
  func set(
    _ request: ImageRequest, on binder: ImageViewBinder? = nil, placeholder: ImagePlaceholder? = .icon("dots"),
    _ change: (inout ImageViewOptions) -> Void = { _ in }
  ) -> ImageViewLoad? {
    var options = ImageViewOptions()
    change(&options)
    let binder = binder ?? self.binder
    return binder.hc.setImage(with: request, placeholder: placeholder, options: options) { [ends] in
      ends.record($0.name)
    }
  }

  /// Sets an image and waits until its load has completed.
  func load(
    _ name: String, placeholder: ImagePlaceholder? = .icon("dots"),
    _ change: (inout ImageViewOptions) -> Void = { _ in }
  ) async throws {
    let count = ends.events.count
    set(name, placeholder: placeholder, change)
    try await ends.waitForEvents(count: count + 1)
  }
}

extension Result<ImageResponse, ImageViewError> {
  /// The result of `setImage` as text: for example `40x20 from network` or `superseded with cancelled`.
  var name: String {
    switch self {
    case .success(let response): "\(response.image.size) from \(response.origin)"
    case .failure(.emptySource): "empty source"
    case .failure(.cancelled): "cancelled"
    case .failure(.loading(let error)): error.name
    case .failure(.superseded(.success(let response), _)): "superseded with \(response.image.size)"
    case .failure(.superseded(.failure(let error), _)): "superseded with \(error.name)"
    case .failure: "unknown"
    }
  }
}
