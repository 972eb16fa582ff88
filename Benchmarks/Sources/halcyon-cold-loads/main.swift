import BenchMetric
import Dispatch
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonTesting

// `halcyon-cold-loads loads COUNT` loads the bytes of COUNT images that no cache has, one after another, over a transport
// without sockets; `images` also decodes them, `hits` loads one image again and again, and `transfers` uses the transport
// alone. `Benchmarks/Scripts/bench-instructions` counts the instructions of each.

enum Subject: String {
  case loads, images, hits, transfers
}

guard CommandLine.arguments.count == 3, let subject = Subject(rawValue: CommandLine.arguments[1]),
  let count = Int(CommandLine.arguments[2])
else {
  print("usage: halcyon-cold-loads loads|images|hits|transfers COUNT")
  exit(64)
}

// Not an asynchronous main function, whose main thread ends while others go on: valgrind crashes then.
let end = DispatchSemaphore(value: 0)
Task.detached {
  do { try await load() } catch { endProgram(with: error) }
  end.signal()
}
end.wait()

@concurrent
func load() async throws {
  let bitmap = try Bitmap(size: PixelSize(width: 10, height: 10), isOpaque: true) { _ in }
  let image = try StandardCodecs.encoder(for: .png).encode(bitmap, options: EncodingOptions())
  let transport = ScriptedTransport { _ in .response(body: image, headers: ["Content-Type": "image/png"]) }
  let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, ImageCache(disk: nil)) }
  for number in 0..<count {
    let name = subject == .hits ? 0 : number
    guard let url = URL(string: "https://images.example.com/albums/2026/photo-\(name).png") else { continue }
    switch subject {
    case .loads:
      let data = try await pipeline.data(for: ImageRequest(url: url))
      precondition(data == image)
    case .images, .hits:
      _ = try await pipeline.image(for: url)
    case .transfers:
      for try await _ in try await transport.response(to: TransportRequest(url: url)).body {}
    }
  }
}
