public import HalcyonHTTP
public import HalcyonCache

/// The steps of a load in the order of their end. Steps shared with other requests are listed for each of them.
public struct LoadTrace: Hashable, Sendable {
  /// A piece of work and how long it took.
  public struct Step: Hashable, Sendable {
    /// What was done.
    public var kind: Kind
    /// How long it took.
    public var duration: Duration
    /// Why looking into the store gave nothing; `nil` for a hit and for all other steps.
    public var miss: CacheMiss?
  }

  /// What a step does.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable {
    /// Looking into the store.
    case storeRead
    /// Waiting for one of the allowed connections.
    case queue
    /// Sending the request and receiving the answer, redirects included.
    case transfer
    /// Waiting before another attempt.
    case retryWait
    /// Waiting until the bytes are in the store, where the request wants that.
    case storeWrite
    /// Turning bytes into pixels, the wait for a free thread included.
    case decode
    /// Running one processor, the wait for a free thread included.
    case process
  }

  /// The steps.
  public private(set) var steps: [Step] = []
  /// The phases of the last transfer, where there was one and the transport measures them.
  public internal(set) var transfer: TransportTimings? {
    get {
      guard case .some(.measured(let timings)) = boxedTransfer else { return nil }
      return timings
    }
    set { boxedTransfer = newValue.map { .measured($0) } }
  }

  /// Traces are part of much that is copied, and a hundred bytes lighter without the timings.
  private indirect enum BoxedTimings: Hashable, Sendable {
    case measured(TransportTimings)
  }

  private var boxedTransfer: BoxedTimings?

  /// Creates an empty trace.
  public init() {}

  mutating func add(
    _ kind: Kind, since start: ContinuousClock.Instant, until end: ContinuousClock.Instant = .now,
    miss: CacheMiss? = nil
  ) {
    steps.append(Step(kind: kind, duration: start.duration(to: end), miss: miss))
  }
}

extension LoadTrace: CustomStringConvertible {
  /// For example `storeRead 0.05 ms (absent), queue 0.01 ms, transfer 41.2 ms, decode 3.5 ms`; empty for an image from
  /// memory.
  public var description: String {
    steps.map { step in
      let hundredths = (step.duration / .microseconds(10)).rounded()
      let miss = step.miss.map { " (\($0.rawValue))" } ?? ""
      return "\(step.kind.rawValue) \(hundredths / 100) ms\(miss)"
    }.joined(separator: ", ")
  }
}
