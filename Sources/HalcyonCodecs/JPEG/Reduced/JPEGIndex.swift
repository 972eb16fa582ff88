#if !IMAGEIO
import Foundation
import HalcyonImaging
@_spi(Programs) import HalcyonSupport

/// Places in the scan of a large baseline file at which decoding can begin, so that a later region need not read what is
/// before it. They are found by whatever reads the file. Safe from any thread.
final class JPEGIndex: Sendable {
  /// The state of a decoder before an MCU.
  struct Place: Sendable {
    /// The number of the MCU.
    let unit: Int
    /// The offset in the file of its first byte, and the bits of that byte before it.
    let offset: Int
    let skippedBitCount: Int
    /// The last DC coefficient of each component.
    let predictions: SIMD4<Int32>
    let unitsBeforeRestart: Int
    let restartCount: Int
  }

  /// The fewest MCUs between two places.
  private static let distance = 32

  private let places = Lock<[Place]>([])

  /// The last known place at or before an MCU.
  func place(before unit: Int) -> Place? {
    places.withLock { places in
      var range = 0..<places.count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range = places[middle].unit <= unit ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return range.lowerBound == 0 ? nil : places[range.lowerBound - 1]
    }
  }

  /// Keeps a place that is far enough after all others.
  func append(_ place: @autoclosure () -> Place, unit: Int) {
    func isNext(_ places: [Place]) -> Bool { places.last.map { $0.unit + Self.distance <= unit } ?? true }
    guard places.withLock({ isNext($0) }) else { return }
    let place = place()
    places.withLock { places in
      if isNext(places) { places.append(place) }
    }
  }
}

/// The indexes of the files that were decoded last.
final class JPEGIndexes: Sendable {
  /// Smaller files are read at once.
  private static let minimumByteCount = 4 << 20

  private struct Key: Hashable, Sendable {
    let byteCount: Int
    let hash: UInt64
  }

  /// Random, so that a file cannot be made with the hash of another one.
  private let seed = UInt64.random(in: .min ... .max)
  private let indexes = RecentTable<Key, JPEGIndex>(costLimit: 4)

  /// The index of a file; `nil` for a small one.
  func index(of file: UnsafeRawBufferPointer) -> JPEGIndex? {
    guard file.count >= Self.minimumByteCount else { return nil }
    return indexes.insert(
      JPEGIndex(), for: Key(byteCount: file.count, hash: WyHash.hash(file, seed: seed)), replaces: false)
  }
}
#endif
