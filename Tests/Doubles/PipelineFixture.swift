package import HalcyonSupport
package import HalcyonHTTP
package import HalcyonCache
package import HalcyonPipeline
package import Foundation
package import HalcyonTesting

/// A pipeline with a scripted transport, and its components.
package struct PipelineFixture {
  package let transport: ScriptedTransport
  package let decoder: SolidDecoder
  package let memory: MemoryCache
  package let store = MemoryDataStore()
  package let pipeline: ImagePipeline
  package let url = URL(string: "http://example.com/a") ?? URL(filePath: "/")

  package init(
    decoder: SolidDecoder = SolidDecoder(), configure: (inout PipelineConfiguration) -> Void = { _ in },
    script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) {
    self.decoder = decoder
    transport = ScriptedTransport(script)
    memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20))
    var configuration = PipelineConfiguration(
      transport: transport, decoders: [decoder], cache: ImageCache(memory: memory, store: store))
    configure(&configuration)
    pipeline = ImagePipeline(configuration: configuration)
  }

  /// A pipeline whose transport responds to every request with `image`.
  package static func serving(_ image: SolidImage = SolidImage(width: 100, height: 50)) -> PipelineFixture {
    PipelineFixture { _ in .response(body: image.data) }
  }

  /// A pipeline whose n-th request receives the n-th reply. More requests fail.
  package static func replying(
    _ replies: ScriptedTransport.Reply..., retry: any RetryStrategy = ExponentialBackoff(firstDelay: .zero),
    time: any TimeSource = SystemTime()
  ) -> PipelineFixture {
    let next = Lock(replies)
    return PipelineFixture {
      ($0.options.retryStrategy, $0.time, $0.progressInterval) = (retry, time, .zero)
    } script: { _ in
      next.withLock { $0.isEmpty ? .failure(.failed(reason: "too many requests")) : $0.removeFirst() }
    }
  }
}

extension ImageError {
  /// The name of the case, to compare errors that have associated values.
  package var name: String { Mirror(reflecting: self).children.first?.label ?? "cancelled" }
}
