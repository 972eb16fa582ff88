#if !IMAGEIO
@_spi(Programs) import HalcyonSupport
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

  private struct Key: Hashable {
    let format: PlaneFormat
    let geometry: ResizeGeometry
  }

  private let graphs = RecentTable<Key, SharedResampleGraph>(costLimit: countLimit)

  /// The cached graph for these values, or a new one.
  func graph(for format: PlaneFormat, geometry: ResizeGeometry) throws(ResamplingError) -> SharedResampleGraph {
    let key = Key(format: format, geometry: geometry)
    if let cached = graphs[key] { return cached }
    let graph = SharedResampleGraph(try ResampleGraph(source: format, geometry: geometry))
    guard geometry.outputSize.width + geometry.outputSize.height <= Self.sidesLimit else { return graph }
    return graphs.insert(graph, for: key)
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
