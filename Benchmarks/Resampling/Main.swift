import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport

/// Resizes photographs in Swift and through zimg, on one thread, and prints how long the first takes relative to the
/// second.
@main
enum Main {
  private static let rounds = ProcessInfo.processInfo.environment["ROUNDS"].flatMap { Int($0) } ?? 25
  private static let targets: [(name: String, size: TargetSize)] = [
    ("thumbnail", .fit(width: 100, height: 100)), ("half", .fit(width: 256, height: 256)),
    ("near_original", .fit(width: 400, height: 400)), ("twice", .exact(width: 1024, height: 1024)),
  ]

  static func main() {
    do {
      try run()
    } catch {
      FileHandle.standardError.write(Data("halcyon-bench-resampling: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() throws {
    let photos = try ["astronaut.jpg", "retina.jpg", "rocket.jpg"].map {
      try JPEGDecoder().decode(Photos.data($0), options: DecodingOptions()).bitmap
    }
    var ratios: [Double] = []
    for (name, size) in targets {
      let swift = ResizeProcessor(size, implementation: .swift)
      let peer = ResizeProcessor(size, implementation: .standard)
      var times = (swift: 0.0, peer: 0.0)
      for photo in photos {
        // In turn, so that other programs slow down both.
        let pairs = try (0..<rounds).map { _ in (try time(swift, photo), try time(peer, photo)) }
        times.swift += pairs.map(\.0).min() ?? 0
        times.peer += pairs.map(\.1).min() ?? 0
      }
      ratios.append(times.swift / times.peer)
      print("METRIC resample_swift_\(name) \(rounded(times.swift)) ms")
      print("METRIC resample_zimg_\(name) \(rounded(times.peer)) ms")
    }
    print("METRIC resample_swift_to_zimg \(rounded(ratios.max() ?? 0)) times, at the slowest size goal <= 2.0")
  }

  private static func time(_ processor: ResizeProcessor, _ photo: Bitmap) throws -> Double {
    try ContinuousClock().measure { _ = try processor.process(photo) } / .milliseconds(1)
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
