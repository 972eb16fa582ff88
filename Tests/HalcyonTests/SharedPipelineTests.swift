import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The shared pipeline, in processes of their own, since other tests use it.
@Suite(.integrationTest)
struct SharedPipelineTests {
  @Test func `the shared pipeline can be set before it is used, and between uses`() async {
    await #expect(processExitsWith: .success) {
      let pipelines = (0..<2).map { _ in
        ImagePipeline {
          ($0.transport, $0.cache) = (ScriptedTransport { _ in .failure(.cancelled) }, ImageCache(disk: nil))
        }
      }
      for pipeline in pipelines {
        ImagePipeline.shared = pipeline
        #expect(ImagePipeline.shared === pipeline)
      }
      await withTaskGroup { group in
        for index in 0..<100 {
          group.addTask {
            ImagePipeline.shared = pipelines[index % 2]
            _ = ImagePipeline.shared.cache
          }
        }
      }
      #expect(pipelines.contains { $0 === ImagePipeline.shared })
    }
  }

  @Test func `a prefetcher without a pipeline loads in the shared one`() async {
    await #expect(processExitsWith: .success) {
      // Made here: the leak sanitizer does not find the bytes of a `Data` that the shared pipeline keeps.
      let transport = ScriptedTransport { _ in .response(body: try TestImage.png()) }
      ImagePipeline.shared = ImagePipeline {
        ($0.transport, $0.cache) = (transport, ImageCache(disk: nil))
      }
      let prefetcher = ImagePrefetcher()
      let url = try #require(URL(string: "http://example.com/a"))
      let result = await prefetcher.start([url]).result
      #expect(result.completed.count == 1)
      #expect(ImagePipeline.shared[cached: ImageRequest(url: url)] != nil)
    }
  }

  @Test func `pipelines share a transport, unless they have an address policy`() {
    func transport(_ policy: AddressPolicy) -> any Transport {
      ImagePipeline(addressPolicy: policy) { $0.cache = ImageCache(disk: nil) }.configuration.transport
    }
    let shared = PipelineConfiguration().transport
    #expect(transport(.any) as AnyObject === shared as AnyObject)
    #expect(shared.addressPolicy == .any)
    #expect(transport(.publicInternetOnly) as AnyObject !== shared as AnyObject)
    #expect(transport(.publicInternetOnly).addressPolicy == .publicInternetOnly)
  }

  @Test func `a pipeline is created from a closure that changes the standard configuration`() {
    let pipeline = ImagePipeline { configuration in
      configuration.cache = ImageCache(disk: nil)
      configuration.redirectLimit = 3
    }
    #expect(pipeline.configuration.redirectLimit == 3)
    #expect(pipeline.configuration.decoders.count == StandardCodecs.decoders.count)
    #expect(pipeline.configuration.encoders.count == StandardCodecs.encoders.count)
  }
}
