#if Logging
public import Halcyon
public import Logging

/// Writes the events of a pipeline to a swift-log `Logger`.
///
/// ```swift
/// import Logging
///
/// let log = EventLogger(Logger(label: "images"))
/// configuration.eventHandler = { event in log(event) }
/// ```
///
/// Failed loads are warnings, a store that fails is an error, retries and other sources are notices, finished loads are
/// infos; all other events are debug messages, apart from progress and the start of a load, which are traces. The
/// metadata are the number of the load (`load`), the URL without credentials and query (`source`, `url`), the times of
/// the steps (`trace`) and the description of an error (`error`).
///
/// Safe from any thread. An event below the logger's level costs a comparison.
public struct EventLogger: Sendable {
  private let logger: Logger

  /// Creates a handler that writes to `logger`.
  public init(_ logger: Logger) {
    self.logger = logger
  }

  /// Logs an event.
  public func callAsFunction(_ event: PipelineEvent) {
    logger.log(level: event.kind.level, "\(event.kind.message)", metadata: event.metadata, source: "Halcyon")
  }
}

extension PipelineEvent.Kind {
  /// The kind without its error, which is in the metadata.
  fileprivate var message: String {
    switch self {
    case .retrying: "retrying"
    case .fallback: "trying another source"
    case .storeFailed: "store failed"
    case .failed(.cancelled): description
    case .failed: "failed"
    default: description
    }
  }

  fileprivate var level: Logger.Level {
    switch self {
    case .created, .started, .progress: .trace
    case .finished: .info
    case .retrying, .fallback: .notice
    case .failed(.cancelled): .debug
    case .failed: .warning
    case .storeFailed: .error
    default: .debug
    }
  }
}

extension PipelineEvent {
  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    if let load { metadata["load"] = "\(load)" }
    switch kind {
    case .created(let request): metadata["source"] = "\(request.source.loggedText)"
    case .responded(_, let url): metadata["url"] = "\(url.loggedText)"
    case .fallback(let source, let error):
      metadata["source"] = "\(source.loggedText)"
      metadata["error"] = "\(error)"
    case .retrying(let error, _): metadata["error"] = "\(error)"
    case .finished(_, let trace): metadata["trace"] = "\(trace)"
    case .failed(.cancelled): break
    case .failed(let error): metadata["error"] = "\(error)"
    case .storeFailed(let error): metadata["error"] = "\(error)"
    default: break
    }
    return metadata
  }
}
#endif
