import Halcyon
import HalcyonGTK

/// How many images were shown from each origin.
struct OriginCounts: Equatable {
  private(set) var memory = 0
  private(set) var disk = 0
  private(set) var network = 0
  private(set) var failed = 0

  var shown: Int { memory + disk + network }

  mutating func add(_ result: Result<ImageResponse, ImageViewError>) {
    switch result {
    case .success(let response):
      switch response.origin {
      case .memory: memory += 1
      case .network: network += 1
      default: disk += 1
      }
    case .failure(.loading): failed += 1
    case .failure: break
    }
  }
}
