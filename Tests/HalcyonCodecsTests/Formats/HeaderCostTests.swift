import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Headers and metadata cost time in proportion to their bytes, whatever they are.
@Suite(.integrationTest, .slow)
struct HeaderCostTests {
  @Test(arguments: HostileHeader.all) func `twice the bytes cost at most 2.5 times`(_ header: HostileHeader) throws {
    for byteCount in [100_000, 1_000_000] {
      let files = try [header.file(byteCount), header.file(2 * byteCount)]
      var costs = [Double.infinity, Double.infinity]
      // The least of several runs, as others use the memory of the machine at the same time.
      for _ in 0..<6 {
        costs = zip(costs, files).map { min($0, Self.cost(of: $1)) }
        if costs[1] <= 2.5 * costs[0] { break }
      }
      #expect(costs[1] <= 2.5 * costs[0], "\(byteCount) bytes: \(costs[0] * 1000) ms, then \(costs[1] * 1000) ms")
      if costs[1] > 2.5 * costs[0] { return }
    }
  }

  /// The processor time of reading a file once, in seconds, on this thread.
  private static func cost(of file: Data) -> Double {
    // Parsers that stop at a limit take hardly any time.
    let count = 3
    let start = processorTime
    for _ in 0..<count { read(file) }
    return (processorTime - start) / Double(count) + 0.000_05
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
