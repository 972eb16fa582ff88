import HalcyonSupport
import HalcyonImaging

/// The last few graphs that were built, since building one takes as long as decoding a small image.
///
/// Pictures of one camera in one list all have the same shape. Graphs of large results, which hold more memory and
/// whose making counts for less, are not kept: all together take a few megabytes at most. Safe from any thread.
final class ResampleGraphCache: Sendable {
  private static let countLimit = 8
  /// Width and height of a result together.
  private static let sidesLimit = 2048

  private struct Entry {
    let format: PlaneFormat
    let geometry: ResizeGeometry
    let graph: SharedResampleGraph
  }

  /// The least recently used first.
  private let entries = Lock<[Entry]>([])

  /// The graph for these values, built where it is not at hand.
  func graph(for format: PlaneFormat, geometry: ResizeGeometry) throws(ResamplingError) -> SharedResampleGraph {
    if let known = known(format, geometry) { return known }
    let graph = SharedResampleGraph(try ResampleGraph(source: format, geometry: geometry))
    guard geometry.outputSize.width + geometry.outputSize.height <= Self.sidesLimit else { return graph }
    // What leaves is freed after the lock is.
    let leaving = entries.withLock { entries in
      let oldest = entries.count == Self.countLimit ? entries.removeFirst() : nil
      entries.append(Entry(format: format, geometry: geometry, graph: graph))
      return oldest
    }
    withExtendedLifetime(leaving) {}
    return graph
  }

  private func known(_ format: PlaneFormat, _ geometry: ResizeGeometry) -> SharedResampleGraph? {
    entries.withLock { entries in
      guard let index = entries.lastIndex(where: { $0.format == format && $0.geometry == geometry }) else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.graph
    }
  }
}

/// A graph with several owners.
///
/// Unchecked: zimg never changes a graph once it is built; each run brings its own buffers.
final class SharedResampleGraph: @unchecked Sendable {
  let graph: ResampleGraph

  init(_ graph: consuming ResampleGraph) {
    self.graph = graph
  }
}
