import HalcyonTestDoubles
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport

/// A pipeline whose transfers wait at a gate, and record their start and their cancellation.
struct HeldPipeline {
  let gate = Gate()
  let began = EventLog<String>()
  let cancelled = EventLog<String>()
  let fixture: PipelineFixture

  init(configure: (inout PipelineConfiguration) -> Void = { _ in }) {
    fixture = PipelineFixture(configure: configure) { [gate, began, cancelled] request in
      began.record(request.url.lastPathComponent)
      do {
        try await gate.wait()
      } catch {
        cancelled.record(request.url.lastPathComponent)
        throw error
      }
      return .response(body: SolidImage(width: 8, height: 8).data)
    }
  }

  var pipeline: ImagePipeline { fixture.pipeline }
}

extension [URL] {
  /// `count` URLs whose last path component is their number, each on a different host.
  static func numbered(_ count: Int) -> [URL] {
    (0..<count).compactMap { URL(string: "http://host\($0).example.com/\($0)") }
  }
}

extension [ImageRequest] {
  /// The numbers of the URLs, sorted.
  var numbers: [Int] {
    compactMap { request in
      request.source.url.flatMap { Int($0.lastPathComponent) }
    }.sorted()
  }
}
