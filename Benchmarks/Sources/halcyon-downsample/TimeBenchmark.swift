import Foundation
import Halcyon
import PeerShim

/// The time and the quality of decoding at a size, beside libvips with the same bytes, in turns.
struct TimeBenchmark {
  private static let widths = [200, 400, 1024]
  private static let roundCount = Int(ProcessInfo.processInfo.environment["ROUNDS"] ?? "") ?? 5

  let files: [CorpusFile]

  func run() {
    var results: [TimeResult] = []
    for file in files {
      let full = try? file.decoder.decode(file.bytes, options: DecodingOptions())
      for width in Self.widths where width < file.info.pixelSize.width {
        guard let result = Self.measure(file, width: width, full: full.map { Picture($0.bitmap) }) else {
          print("skipped \(file.name) at \(width) pixels: one of the two does not decode it")
          continue
        }
        print(result)
        results.append(result)
      }
    }
    TimeReport(results: results).print()
  }

  private static func measure(_ file: CorpusFile, width: Int, full: Picture?) -> TimeResult? {
    guard let bitmap = try? halcyon(file, width: width), let peer = peer(file, width: width) else { return nil }
    var (own, other, floor): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<roundCount {
      own.append(Clock.milliseconds { _ = try? halcyon(file, width: width) })
      other.append(Clock.milliseconds { thumbnail(file, width: width) })
      if file.kind == "jpeg_baseline", width == 200 { floor.append(Clock.milliseconds { entropy(file) }) }
    }
    let picture = Picture(bitmap)
    let reference = full?.lanczos(width: picture.width, height: picture.height)
    return TimeResult(
      file: file, width: width, own: median(own), peer: median(other), entropy: floor.isEmpty ? nil : median(floor),
      similarity: reference.flatMap { picture.similarity(to: $0) },
      peerSimilarity: reference.flatMap { peer.similarity(to: $0) })
  }

  private static func halcyon(_ file: CorpusFile, width: Int) throws -> Bitmap {
    try file.decoder.decode(file.bytes, options: DecodingOptions(size: .fit(width: width, height: .max))).bitmap
  }

  private static func peer(_ file: CorpusFile, width: Int) -> Picture? {
    var result = peer_picture()
    defer { free(result.pixels) }
    return thumbnail(file, width: width, into: &result) ? Picture(result) : nil
  }

  /// Freeing the pixels is part of the time, as it is with ours.
  private static func thumbnail(_ file: CorpusFile, width: Int) {
    var result = peer_picture()
    defer { free(result.pixels) }
    let isDone = thumbnail(file, width: width, into: &result)
    precondition(isDone, "libvips decodes \(file.name) no longer")
  }

  private static func thumbnail(_ file: CorpusFile, width: Int, into result: inout peer_picture) -> Bool {
    file.bytes.withUnsafeBytes { bytes in
      peer_thumbnail(
        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(width), file.info.hasColorProfile, &result)
    }
  }

  private static func entropy(_ file: CorpusFile) {
    file.bytes.withUnsafeBytes { bytes in
      let isDone = peer_entropy_decode(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
      precondition(isDone, "\(file.name) is not whole")
    }
  }
}
