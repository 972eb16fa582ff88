public import HalcyonHTTP
public import HalcyonCache
import HalcyonImaging

/// The steps of a load, in the order in which they ended.
///
/// Steps shared with coalesced loads are listed in the trace of each of them.
public struct LoadTrace: Hashable, Sendable {
  /// A step and its duration.
  public struct Step: Hashable, Sendable {
    /// The kind of work.
    public var kind: Kind
    /// When the step began.
    public var start: ContinuousClock.Instant
    /// The duration.
    public var duration: Duration
    /// The reason of a store miss; `nil` for a hit and for all other steps.
    public var miss: CacheMiss?
    /// The tier of a `TieredStore` that had the entry; `nil` for a miss, other stores and all other steps.
    public var tier: String?
  }

  /// The kind of work of a step.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable {
    /// Reading from the store.
    case storeRead
    /// Waiting for a permit to connect (``ConnectionLimits``).
    case queue
    /// Sending the request and receiving the response, including redirects.
    case transfer
    /// Waiting before a retry.
    case retryWait
    /// Waiting for the write to the store, if ``RequestOptions/waitsForStore`` is set.
    case storeWrite
    /// Decoding, including the wait for a free thread.
    case decode
    /// Running one processor, including the wait for a free thread; all processors of an image that is encoded.
    case process
    /// Encoding, also all of the work for the frames of an animation.
    case encode
  }

  /// The steps.
  public private(set) var steps: [Step] = []
  /// The times of the last transfer: name look-up, connection, TLS handshake, first byte and end; `nil` if there was none,
  /// or if the transport does not measure them.
  public internal(set) var transfer: TransportTimings? {
    get {
      guard case .some(.measured(let timings)) = boxedTransfer else { return nil }
      return timings
    }
    set { boxedTransfer = newValue.map { .measured($0) } }
  }

  /// Boxed, which makes traces about a hundred bytes smaller: they are copied often.
  private indirect enum BoxedTimings: Hashable, Sendable {
    case measured(TransportTimings)
  }

  private var boxedTransfer: BoxedTimings?

  /// Creates an empty trace.
  package init() {}

  mutating func add(
    _ kind: Kind, since start: ContinuousClock.Instant, until end: ContinuousClock.Instant = .now,
    miss: CacheMiss? = nil, tier: String? = nil
  ) {
    steps.append(Step(kind: kind, start: start, duration: start.duration(to: end), miss: miss, tier: tier))
  }

  /// Adds the steps of another trace.
  func adding(_ other: LoadTrace) -> LoadTrace {
    var trace = self
    trace.steps += other.steps
    return trace
  }

  /// The tier of the last read from the store.
  var storeTier: String? { steps.last { $0.kind == .storeRead }?.tier }
}

extension LoadTrace: CustomStringConvertible {
  /// One line for a log, for example `storeRead 0.05 ms (absent), queue 0.01 ms, transfer 41.2 ms, decode 3.5 ms`;
  /// empty for an image from memory.
  public var description: String {
    steps.map { step in
      let hundredths = (step.duration / .microseconds(10)).rounded()
      let miss = (step.miss?.rawValue ?? step.tier).map { " (\($0))" } ?? ""
      return "\(step.kind.rawValue) \(hundredths / 100) ms\(miss)"
    }.joined(separator: ", ")
  }
}

extension LoadTrace {
  /// The steps of a rendered file.
  init(of rendered: Rendered, since start: ContinuousClock.Instant) {
    self.init()
    guard let (decoded, processed, encoded) = rendered.ends else {
      add(.encode, since: start)
      return
    }
    add(.decode, since: start, until: decoded)
    if processed != decoded { add(.process, since: decoded, until: processed) }
    add(.encode, since: processed, until: encoded)
  }
}
