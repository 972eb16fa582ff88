#if !IMAGEIO
import HalcyonSupport
import HalcyonImaging

/// The most recently used filter graphs, as building one takes as long as decoding a small image.
///
/// Images from one camera in one list all have the same dimensions. Graphs for large results hold more memory and are
/// relatively cheaper to build, so they are not cached: all cached graphs take a few megabytes at most. Safe from any
/// thread.
final class ResampleGraphCache: Sendable {
  private static let countLimit = 8
  /// The largest sum of output width and height for which a graph is cached.
  private static let sidesLimit = 2048

  private struct Entry {
    let format: PlaneFormat
    let geometry: ResizeGeometry
    let graph: SharedResampleGraph
  }

  /// The least recently used first.
  private let entries = Lock<[Entry]>([])

  /// The cached graph for these values, or a new one.
  func graph(for format: PlaneFormat, geometry: ResizeGeometry) throws(ResamplingError) -> SharedResampleGraph {
    if let cached = cached(format, geometry) { return cached }
    let graph = SharedResampleGraph(try ResampleGraph(source: format, geometry: geometry))
    guard geometry.outputSize.width + geometry.outputSize.height <= Self.sidesLimit else { return graph }
    // The evicted graph is freed after the lock is released.
    let evicted = entries.withLock { entries in
      let oldest = entries.count == Self.countLimit ? entries.removeFirst() : nil
      entries.append(Entry(format: format, geometry: geometry, graph: graph))
      return oldest
    }
    withExtendedLifetime(evicted) {}
    return graph
  }

  private func cached(_ format: PlaneFormat, _ geometry: ResizeGeometry) -> SharedResampleGraph? {
    entries.withLock { entries in
      guard let index = entries.lastIndex(where: { $0.format == format && $0.geometry == geometry }) else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.graph
    }
  }
}

/// A filter graph with shared ownership.
///
/// Unchecked: zimg never changes a graph once it is built; each run has its own buffers.
final class SharedResampleGraph: @unchecked Sendable {
  let graph: ResampleGraph

  init(_ graph: consuming ResampleGraph) {
    self.graph = graph
  }
}
#else
/// Swift's resampler has nothing to share.
final class ResampleGraphCache: Sendable {}
#endif
