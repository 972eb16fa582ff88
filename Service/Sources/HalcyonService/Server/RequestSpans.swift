import HTTPTypes
import Halcyon
import Synchronization
import Tracing

/// The spans of requests: one for each request, and in it one for each step of a load, which its events tell.
///
/// Spans have the identifier of the request. Of requests that share a load, each has spans of its steps.
final class RequestSpans: Sendable {
  /// A load that has not ended.
  private struct Load {
    let context: ServiceContext
    /// When its source was asked for.
    var fetchStart: ContinuousClock.Instant?
  }

  private let tracer: any Tracer
  private let loads = Mutex<[UInt64: Load]>([:])

  init(_ tracer: any Tracer) { self.tracer = tracer }

  /// Starts the span of a request, below the client's own span if its header fields name one.
  ///
  /// - Parameter path: The path for the log.
  func start(
    _ request: ServiceRequest, id: String, path: String, at start: ContinuousClock.Instant = .now
  ) -> any Span {
    var context = ServiceContext.topLevel
    tracer.extract(request.headers, into: &context, using: ReceivedFields())
    context.requestID = id
    let span = tracer.startSpan(request.method.rawValue, context: context, ofKind: .server, at: Self.instant(of: start))
    span.attributes["http.request.method"] = request.method.rawValue
    span.attributes["url.path"] = path
    span.attributes["request.id"] = id
    return span
  }

  /// The header fields that connect requests to sources with a span.
  func fields(of span: any Span) -> HTTPHeaders {
    var fields = HTTPHeaders()
    tracer.inject(span.context, into: &fields, using: SentFields())
    return fields
  }

  /// Ends the span of a request with its response.
  func end(_ span: any Span, status: Int, _ failure: ServiceError? = nil) {
    span.attributes["http.response.status_code"] = status
    if let failure, status >= 500 {
      span.setStatus(SpanStatus(code: .error, message: Redaction.text(failure.cause)))
    }
    span.end()
  }

  /// Takes an event of the pipeline; the first one of a load is sent by the task of its request.
  func callAsFunction(_ event: PipelineEvent) {
    guard let number = event.load else { return }
    switch event.kind {
    case .created:
      guard let context = ServiceContext.current else { return }
      loads.withLock { $0[number] = Load(context: context) }
    case .storeMiss: loads.withLock { $0[number]?.fetchStart = .now }
    case .finished(_, let trace):
      guard let load = loads.withLock({ $0.removeValue(forKey: number) }) else { return }
      for step in trace.steps {
        guard let name = Self.name(of: step.kind) else { continue }
        span(name, load.context, from: step.start).end(at: Self.instant(of: step.start + step.duration))
      }
    case .failed(let error):
      guard let load = loads.withLock({ $0.removeValue(forKey: number) }), let start = load.fetchStart else { return }
      let span = span(Self.failedStep(error), load.context, from: start)
      span.setStatus(SpanStatus(code: .error, message: Redaction.text("\(error)")))
      span.end()
    default: break
    }
  }

  private func span(_ name: String, _ context: ServiceContext, from start: ContinuousClock.Instant) -> any Span {
    let span = tracer.startSpan(name, context: context, ofKind: .internal, at: Self.instant(of: start))
    span.attributes["request.id"] = context.requestID
    return span
  }

  private static func name(of step: LoadTrace.Kind) -> String? {
    switch step {
    case .storeRead: "read cache"
    case .queue: "queue"
    case .transfer: "fetch"
    case .decode: "decode"
    case .process: "process"
    case .encode: "encode"
    default: nil
    }
  }

  private static func failedStep(_ error: ImageError) -> String {
    switch error {
    case .decoding, .notAnImage: "decode"
    case .processingFailed: "process"
    case .failed(cause: is ImageEncodingError, _): "encode"
    default: "fetch"
    }
  }

  /// The time of the system's clock at an instant.
  private static func instant(of instant: ContinuousClock.Instant) -> DefaultTracerClock.Instant {
    let age = (ContinuousClock.now - instant) / .nanoseconds(1)
    let now = DefaultTracerClock.now.nanosecondsSinceEpoch
    return DefaultTracerClock.Instant(nanosecondsSinceEpoch: now - min(now, UInt64(max(0, age))))
  }
}

/// Reads the fields of a distributed trace.
private struct ReceivedFields: Extractor {
  func extract(key: String, from headers: HTTPFields) -> String? { HTTPField.Name(key).flatMap { headers[$0] } }
}

/// Writes them.
private struct SentFields: Injector {
  func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers[key] = value }
}

private enum RequestIDKey: ServiceContextKey {
  typealias Value = String
}

extension ServiceContext {
  fileprivate var requestID: String? {
    get { self[RequestIDKey.self] }
    set { self[RequestIDKey.self] = newValue }
  }
}
