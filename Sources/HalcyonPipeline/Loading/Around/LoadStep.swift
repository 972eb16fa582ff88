import HalcyonHTTP
import HalcyonImaging

/// A step around a load, which decides what is loaded, how often and for how long.
protocol LoadStep: Sendable {
  /// Loads.
  ///
  /// - Parameters:
  ///   - next: Loads with the remaining inner steps.
  ///   - direct: Loads without them, for example another source.
  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value
}

typealias LoadFunction<Value> = @Sendable (Load) async throws(ImageError) -> Value

/// The result of a load.
protocol LoadResult: Sendable {
  /// The last event of a load that returns this.
  var lastEvent: PipelineEvent.Kind { get }
  /// The response with the image, if it was decoded to be shown.
  func shownResponse(to request: ImageRequest) -> ImageResponse?
}

extension LoadResult {
  func shownResponse(to request: ImageRequest) -> ImageResponse? { nil }
}

extension ImageLoader {
  /// Runs a load with the steps around it, of which a plain request has none.
  func around<Value: LoadResult>(
    _ load: Load, _ direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    try await run(steps(around: load)[...], load, direct)
  }

  private func run<Value: LoadResult>(
    _ steps: ArraySlice<any LoadStep>, _ load: Load, _ direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    guard let step = steps.first else { return try await direct(load) }
    return try await step.load(
      load, { [self] load throws(ImageError) in try await run(steps.dropFirst(), load, direct) }, direct: direct)
  }

  /// The steps around a load, the outermost first.
  private func steps(around load: Load) -> [any LoadStep] {
    if load.memory?.isHit == true { return [] }
    if monitor == nil, load.request.isPlain, !load.subscription.isOfView { return [] }
    let steps: [(any LoadStep)?] = [
      Reporting(load, by: monitor), Timeout(load, configuration.time), StaleFirst(load, in: self), Alternatives(load),
      LowDataMode(load, configuration),
    ]
    return steps.compactMap(\.self)
  }
}

extension ImageRequest {
  /// Whether no step around the load applies, as for most requests.
  fileprivate var isPlain: Bool { optionsBox == nil && alternatives.isEmpty && lowDataSource == nil }

  /// This request for another source, mapped with its headers and identity. One of another origin gets no credentials, as
  /// after a redirect.
  func from(_ source: ImageSource) -> ImageRequest {
    var other = mapping?.original ?? self
    if let own = other.source.url.flatMap({ Origin($0) }), let new = source.url.flatMap({ Origin($0) }), own != new {
      other.headers = other.headers.filter { Redirect.impersonalFields.contains($0.name.lowercased()) }
    }
    other.source = source
    if let mapping { other = mapping.mapper(other) }
    var request = self
    (request.source, request.headers) = (other.source, other.headers)
    request.identity = other.identity ?? identity
    return request
  }
}
