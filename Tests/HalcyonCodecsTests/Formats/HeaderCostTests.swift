import Foundation
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Headers and metadata cost time in proportion to their bytes, whatever they are.
@Suite(.integrationTest, .slow)
struct HeaderCostTests {
  /// Beside other work, whose memory has no place in the processor, four times the bytes cost up to six times as much.
  private static let ratioLimit = 8.0

  @Test(arguments: HostileHeader.all) func `four times the bytes cost at most eight times as much`(
    _ header: HostileHeader
  ) throws {
    // Each rule of a small drawing costs for each element, until the budget of the drawing ends that.
    for byteCount in header.testDescription.hasPrefix("SVG: rules") ? [500_000] : [50_000, 250_000] {
      let costs = try Self.costs(header.file(byteCount), header.file(4 * byteCount), of: Self.read)
      #expect(costs.1 <= Self.ratioLimit * costs.0, "\(byteCount) bytes: \(costs.0) seconds, then \(costs.1)")
    }
  }

  @Test func `a reader that compares all bytes with each other is noticed`() {
    let costs = Self.costs(Data(count: 30), Data(count: 120)) { file in
      let matches = file.reduce(0) { sum, byte in
        file.reduce(sum) { sum, other in sum + file.count { $0 == byte && $0 == other } }
      }
      #expect(matches == file.count * file.count * file.count)
    }
    #expect(costs.1 > Self.ratioLimit * costs.0)
  }

  #if !IMAGEIO
  private static let cancelled: Set = [
    "TIFF: directories of reduced copies", "TIFF: tables that are there again", "ICO: entries that share their chunks",
    "ICO: entries that begin with each other", "Exif: entries with one tag", "Exif: texts that overlap",
    "XMP: attributes", "XMP: namespaces", "XMP: items", "XMP: files", "XMP: comments and sections",
    "HEIF: empty boxes", "PNG: empty texts", "GIF: frames",
  ]

  @Test func `readers of headers and metadata end with the work that they are part of`() throws {
    let headers = HostileHeader.all.filter { Self.cancelled.contains($0.testDescription) }
    #expect(headers.count == Self.cancelled.count)
    for header in headers {
      let file = try header.file(300_000)
      /// How often the reader looks whether the work was cancelled, which it is from a look on.
      func looks(cancelledAt last: Int) throws -> (count: Int, error: ImageDecodingError?) {
        let decoder = try StandardCodecs.decoder(of: file)
        let count = Lock(0)
        @Sendable func looksCancelled() -> Bool {
          count.withLock { count in
            count += 1
            return count >= last
          }
        }
        let result = Result {
          try CancellationFlag.run(cancelledBy: { looksCancelled() }) { try decoder.metadata(of: file) }
        }
        guard case .failure(let error) = result else { return (count.withLock { $0 }, nil) }
        return (count.withLock { $0 }, error as? ImageDecodingError)
      }
      let (all, cancelled) = (try looks(cancelledAt: .max), try looks(cancelledAt: 2))
      #expect(all.count >= 5, "\(header.testDescription)")
      #expect(all.error != .cancelled, "\(header.testDescription)")
      #expect(cancelled.count <= all.count / 2, "\(header.testDescription)")
      #expect(cancelled.error == .cancelled, "\(header.testDescription)")
    }
  }
  #endif

  /// The processor times of two files in seconds.
  private static func costs(_ file: Data, _ longer: Data, of body: (Data) -> Void) -> (Double, Double) {
    // The first reading also loads what all readings share.
    body(file)
    var costs = (Double.infinity, Double.infinity)
    // The least of several, as others use the memory of the machine at the same time.
    for _ in 0..<50 {
      costs = (min(costs.0, cost { body(file) }), min(costs.1, cost { body(longer) }))
      if costs.1 <= ratioLimit * costs.0 { break }
    }
    return costs
  }

  /// The processor time of this thread in seconds. Parsers that stop at a limit take hardly any.
  private static func cost(of body: () -> Void) -> Double {
    let start = processorTime
    body()
    return processorTime - start + 0.000_05
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func read(_ file: Data) {
    guard let decoder = try? StandardCodecs.decoder(of: file) else {
      Issue.record("the format is not known")
      return
    }
    #if SVG && !IMAGEIO
    if let decoder = decoder as? SVGDecoder {
      check(file, decoder)
      return
    }
    #endif
    _ = try? decoder.probe(file, isComplete: true)
    if let metadata = try? decoder.metadata(of: file) { _ = WritableMetadata(metadata) }
    // The tables of containers and icons are read again for the pixels, of which there are none.
    if [[.heic], [.avif], [.ico]].contains(decoder.formats) {
      _ = try? decoder.decode(file, options: DecodingOptions())
    }
  }

  #if SVG && !IMAGEIO
  /// Reads a drawing, and does not draw it.
  private static func check(_ file: Data, _ decoder: SVGDecoder) {
    _ = try? decoder.sanitized(file)
    guard let drawing = try? decoder.drawing(of: file, options: DecodingOptions()),
      let elements = try? file.withUnsafeBytes({ try SVGParser.elements(of: $0) })
    else { return }
    var budget = SVGBudget()
    guard let tree = try? SVGSanitizer.tree(of: elements, drawing: drawing, &budget) else { return }
    try? SVGCost.check(tree, drawing: drawing, &budget)
  }
  #endif
}
