import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import Foundation
import HalcyonTesting
import TestSupport

/// A view, and a server whose images are as large as their names say: `http://example.com/40x20`.
///
/// `gone` answers 404 and `down` answers 503, those that are held wait for ``release(_:)``, and `cancelled` tells whose
/// transfers were cancelled.
@MainActor
struct ViewFixture {
  let clock = TestClock()
  let display = RecordingDisplay()
  let binder: ImageViewBinder
  let fixture: PipelineFixture
  let cancelled = EventLog<String>()
  /// How each `setImage` ended, in order.
  let ends = EventLog<String>()
  private let gates: [String: Gate]

  init(holding names: [String] = [], configure: (inout PipelineConfiguration) -> Void = { _ in }) {
    let gates = Dictionary(uniqueKeysWithValues: names.map { ($0, Gate()) })
    self.gates = gates
    fixture = PipelineFixture { configuration in
      configuration.retryStrategy = NoRetry()
      configure(&configuration)
    } script: { [cancelled] request in
      let name = request.url.lastPathComponent
      do { try await gates[name]?.wait() } catch {
        cancelled.record(name)
        throw error
      }
      return Self.reply(name)
    }
    binder = ImageViewBinder(display: display, pipeline: fixture.pipeline, time: clock)
  }

  nonisolated private static func reply(_ name: String) -> ScriptedTransport.Reply {
    let sides = name.split(separator: "x").compactMap { UInt16($0) }
    guard sides.count == 2 else { return .answer(status: name == "gone" ? 404 : 503, body: Data()) }
    return .answer(body: SolidImage(width: sides[0], height: sides[1]).data)
  }

  func url(_ name: String) -> URL { fixture.url.deletingLastPathComponent().appending(path: name) }

  func request(_ name: String) -> ImageRequest { ImageRequest(url: url(name)) }

  /// Lets an image that was held come.
  func release(_ name: String) { gates[name]?.open() }

  /// Lets an image that was held come once.
  func releaseOnce(_ name: String) { gates[name]?.release() }

  /// Waits until the server has been asked for an image that is held.
  func waitForRequest(_ name: String) async throws { try await gates[name]?.waitUntilHolding() }

  /// Puts an image into memory, at the size of the view.
  func warm(_ name: String, size: TargetSize = .fit(width: 100, height: 100)) async throws {
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url(name), size: size))
  }

  /// Sets an image, and writes down how that ends.
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
    return binder.setImage(with: request, placeholder: placeholder, options: options) { [ends] in
      ends.record($0.name)
    }
  }

  /// Sets an image and waits until that has ended.
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
  /// How a `setImage` ended: for example `40x20 from network` or `superseded with cancelled`.
  var name: String {
    switch self {
    case .success(let response): "\(response.image.size) from \(response.origin)"
    case .failure(.emptySource): "empty source"
    case .failure(.cancelled): "cancelled"
    case .failure(.loading(let error)): error.name
    case .failure(.superseded(.success(let response))): "superseded with \(response.image.size)"
    case .failure(.superseded(.failure(let error))): "superseded with \(error.name)"
    case .failure: "unknown"
    }
  }
}
