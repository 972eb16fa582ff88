import Dispatch
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonTesting

// `halcyon-cold-loads loads COUNT` loads the bytes of COUNT images that no cache has, one after another, over a transport
// without sockets; `halcyon-cold-loads transfers COUNT` uses that transport alone. `Benchmarks/Scripts/bench-instructions` counts the
// instructions of both.

guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]) else {
  fatalError("usage: halcyon-cold-loads loads|transfers COUNT")
}
let usesPipeline = CommandLine.arguments[1] == "loads"

// Not an asynchronous main function, whose main thread ends while others go on: valgrind crashes then.
let end = DispatchSemaphore(value: 0)
Task.detached {
  let bitmap = try Bitmap(size: PixelSize(width: 10, height: 10), isOpaque: true) { _ in }
  let image = try StandardCodecs.encoder(for: .png).encode(bitmap, options: EncodingOptions())
  let transport = ScriptedTransport { _ in .response(body: image, headers: ["Content-Type": "image/png"]) }
  let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, ImageCache(disk: nil)) }
  for number in 0..<count {
    guard let url = URL(string: "https://images.example.com/albums/2026/photo-\(number).png") else { continue }
    if usesPipeline {
      let data = try await pipeline.data(for: ImageRequest(url: url))
      precondition(data == image)
    } else {
      for try await _ in try await transport.response(to: TransportRequest(url: url)).body {}
    }
  }
  end.signal()
}
end.wait()
