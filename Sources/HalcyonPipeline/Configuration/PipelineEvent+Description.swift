import HalcyonCache
import HalcyonImaging

extension PipelineEvent: CustomStringConvertible {
  /// The number of the load and what was done, for example `17 store miss: expired`.
  public var description: String { "\(load.map(String.init) ?? "-") \(kind)" }
}

extension PipelineEvent.Kind: CustomStringConvertible {
  /// What was done in a few words, without the address of the image or anything secret.
  public var description: String {
    switch self {
    case .created: "created"
    case .started: "started"
    case .memoryHit: "memory hit"
    case .memoryMiss(let miss): "memory miss: \(miss.rawValue)"
    case .joined(let work): "joined: \(work.rawValue)"
    case .storeHit(let byteCount): "store hit: \(byteCount) bytes"
    case .storeMiss(let miss): "store miss: \(miss.rawValue)"
    case .responded(let status, _): "response: \(status)"
    case .progress(let progress): "progress: \(progress.receivedByteCount) of \(Self.text(progress.expectedByteCount))"
    case .retrying(_, let attemptCount): "retrying after \(attemptCount)"
    case .decoded(let size): "decoded: \(size.width)x\(size.height)"
    case .processed(let identifier): "processed: \(identifier)"
    case .stored(let tier, let byteCount): "stored in \(tier): \(byteCount) bytes"
    case .storeFailed: "store failed"
    case .evicted(let tier, let count, let reason): "evicted from \(tier): \(count) by \(reason.rawValue)"
    case .finished(let origin, _): "finished: \(origin.rawValue)"
    case .failed(.cancelled): "cancelled"
    case .failed: "failed"
    }
  }

  private static func text(_ byteCount: Int?) -> String { byteCount.map(String.init) ?? "unknown" }
}
