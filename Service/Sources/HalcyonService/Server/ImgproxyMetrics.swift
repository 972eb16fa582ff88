import Halcyon
import HalcyonProcessing
import Synchronization

/// The metrics of imgproxy 4 under its names, for dashboards and alerts that have them.
///
/// Those of libvips and of Go's runtime have no counterpart here.
final class ImgproxyMetrics: Sendable {
  private struct State {
    var requestCount = 0
    var statuses: [Int: Int] = [:]
    var errors: [String: Int] = [:]
    var requests = Histogram(buckets: ImgproxyMetrics.buckets)
    var spans: [String: Histogram] = [:]
  }

  /// The default ones of Prometheus' client for Go.
  private static let buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  /// What the names begin with.
  private let prefix: String
  private let state = Mutex(State())

  /// - Parameter namespace: What the names begin with, before an underscore; empty for nothing.
  init(namespace: String) { prefix = namespace.isEmpty ? "" : namespace + "_" }

  /// Counts a response.
  func end(status: Int, duration: Duration, _ failure: ServiceError?) {
    state.withLock { state in
      state.requestCount += 1
      state.statuses[status, default: 0] += 1
      state.requests.add(duration)
      if let category = failure?.imgproxyCategory { state.errors[category, default: 0] += 1 }
    }
  }

  /// Takes an event of the pipeline: the last one of a load has the durations of its steps.
  func callAsFunction(_ event: PipelineEvent) {
    guard case .finished(_, let trace) = event.kind else { return }
    var spans: [String: Duration] = [:]
    for step in trace.steps {
      switch step.kind {
      case .queue: spans["queue", default: .zero] += step.duration
      case .transfer: spans["downloading_image", default: .zero] += step.duration
      case .decode, .process, .encode: spans["processing_image", default: .zero] += step.duration
      default: break
      }
    }
    guard !spans.isEmpty else { return }
    state.withLock { [spans] state in
      for (name, duration) in spans {
        state.spans[name, default: Histogram(buckets: Self.buckets)].add(duration)
      }
    }
  }

  /// The text format of Prometheus.
  ///
  /// - Parameters:
  ///   - requestCount: Requests without a response.
  ///   - imageCount: Images that are made.
  func text(workers: Int, requestCount: Int, imageCount: Int) -> String {
    let state = state.withLock { $0 }
    let (requests, spans) = (prefix + "request_duration_seconds", prefix + "request_span_duration_seconds")
    let utilization = Double(requestCount) / Double(max(1, workers)) * 100
    let measures = [
      Measure(prefix + "requests_total", "Requests.", state.requestCount),
      Measure(
        prefix + "status_codes_total", "Responses by their status.", by: "status", StatusLabel.counts(state.statuses)),
      Measure(
        prefix + "errors_total", "Errors by their type.", by: "type",
        state.errors.sorted { $0.key < $1.key }.map { ($0, $1) }),
      Measure(
        requests, "The time from a request to its response.", type: "histogram", lines: state.requests.lines(requests)),
      Measure(
        spans, "The time of a step of a request.", type: "histogram",
        lines: state.spans.sorted { $0.key < $1.key }.flatMap { $0.value.lines(spans, labels: "span=\"\($0.key)\",") }),
      Measure(prefix + "workers", "Images that are made at once.", type: "gauge", workers),
      Measure(prefix + "requests_in_progress", "Requests without a response yet.", type: "gauge", requestCount),
      Measure(prefix + "images_in_progress", "Images that are made.", type: "gauge", imageCount),
      Measure(
        prefix + "workers_utilization", "Requests without a response, in percent of the workers.", type: "gauge",
        utilization),
    ]
    return measures.flatMap(\.lines).joined(separator: "\n") + "\n"
  }
}

extension ServiceError {
  /// The type of imgproxy's errors; `nil` where it counts none.
  fileprivate var imgproxyCategory: String? {
    switch self {
    case .clientLeft: nil
    case .path, .option: "path_parsing"
    case .methodNotAllowed, .unauthorized, .notFound, .invalidSignature, .signatureMissing, .secretMissing, .expired,
      .source(.notAllowed):
      "security"
    case .source(.tooManyWaiting), .image(.tooManyWaiting): "queue"
    case .deadlineExceeded, .shuttingDown: "timeout"
    case .plan(.sourceTooLarge), .plan(.sourceTooLong), .plan(.framesTooLarge), .plan(.tooManyPixels): "security"
    case .image(.decoding), .image(.processingFailed), .image(.failed), .plan, .unwritableFormat, .svgNotSent, .failed:
      "processing"
    default: isOfSource ? "download" : "processing"
    }
  }
}
