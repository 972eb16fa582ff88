import Foundation
import Halcyon
import HalcyonApple
import HalcyonCodecs
import HalcyonImaging
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// A pipeline whose images are red, of the size in their names: `http://example.com/40x20`. `gone` has the status 404,
/// `gif` is an animation, `p3` is wider than sRGB, and `recovering` responds from the second request on.
@MainActor
struct AppleFixture {
  let pipeline: ImagePipeline
  let transport: ScriptedTransport
  /// The results of loads, in order of completion.
  let ends = EventLog<String>()

  init(_ configure: (inout PipelineConfiguration) -> Void = { _ in }) {
    let requestCount = Counter()
    transport = ScriptedTransport { request in
      switch request.url.lastPathComponent {
      case "gone": return .response(status: 404, body: Data())
      case "gif": return .response(body: TinyGIF.animation(reds: [10, 20, 30]))
      case "p3":
        let bitmap = try Self.bitmap(width: 40, height: 20, colorSpace: .displayP3)
        return .response(body: try PNGEncoder().encode(bitmap, options: EncodingOptions()))
      case "recovering" where requestCount.next() == 1: return .response(status: 404, body: Data())
      case let name:
        let sides = name.split(separator: "x").compactMap { Int($0) }
        return .response(body: try Self.file(width: sides.first ?? 40, height: sides.last ?? 20))
      }
    }
    pipeline = ImagePipeline { [transport] in
      ($0.transport, $0.cache) = (transport, ImageCache(disk: nil))
      configure(&$0)
    }
    pipeline.cache.followAppLifeCycle()
  }

  func url(_ name: String) -> URL { URL(string: "http://example.com/\(name)") ?? URL(filePath: "/") }

  /// Records the result of a load.
  var completion: ImageViewProxy.Completion {
    { [ends] result in
      switch result {
      case .success(let response): ends.record("\(response.image.size)")
      case .failure(.loading(.httpStatus(let code, _))): ends.record("\(code)")
      case .failure(let error): ends.record("\(error)")
      }
    }
  }

  nonisolated static func bitmap(
    width: Int, height: Int, pixel: [UInt8] = [255, 0, 0, 255], colorSpace: ColorSpace = .sRGB
  ) throws -> Bitmap {
    try Bitmap(
      size: PixelSize(width: width, height: height), isOpaque: pixel[3] == 255, colorSpace: colorSpace
    ) { bytes in
      for index in bytes.indices { bytes[index] = pixel[index % 4] }
    }
  }

  nonisolated private static func file(width: Int, height: Int) throws -> Data {
    try PNGEncoder().encode(bitmap(width: width, height: height), options: EncodingOptions())
  }
}

private final class Counter: Sendable {
  private let monitor = Monitor(0)

  func next() -> Int {
    monitor.update { $0 += 1 }
    return monitor.read { $0 }
  }
}
