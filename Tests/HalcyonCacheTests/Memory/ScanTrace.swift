import HalcyonTestDoubles
import HalcyonTestSupport
import Foundation

/// Zipf-distributed requests for 4,000 images, with a scan of 2,000 images requested once after every 5,000.
///
/// The profile `scan` with seed 4 of the project's trace generator (own work, CC0); all images are equally large.
struct ScanTrace {
  let requests: [Int]

  init(requestCount: Int) {
    var generator = SplitMix(state: 4)
    var sums: [Double] = []
    for rank in 1...4000 { sums.append((sums.last ?? 0) + 1 / pow(Double(rank), 0.9)) }
    var requests: [Int] = []
    var scanned = 4000
    while requests.count < requestCount {
      for _ in 0..<5000 {
        let draw = Double(generator.next() >> 11) / 0x1p53 * (sums.last ?? 0)
        requests.append(Self.firstIndex(in: sums, atLeast: draw))
      }
      requests += (1...2000).map { scanned + $0 }
      scanned += 2000
    }
    self.requests = Array(requests.prefix(requestCount))
  }

  private static func firstIndex(in sums: [Double], atLeast draw: Double) -> Int {
    var (low, high) = (0, sums.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] < draw { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
