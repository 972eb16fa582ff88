import HalcyonImaging

extension ImageResponse: CustomStringConvertible {
  /// One line for a log: what came, from where, and the trace, for example
  /// `640x427 from network, 58231 bytes: storeRead 0.05 ms (absent), queue 0.01 ms, transfer 41.2 ms, decode 3.5 ms`.
  public var description: String {
    let bytes = encodedByteCount.map { ", \($0) bytes" } ?? ""
    let steps = trace.steps.isEmpty ? "" : ": \(trace)"
    return "\(image.size.width)x\(image.size.height) from \(origin.rawValue)\(bytes)\(steps)"
  }
}
