#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// A weak reference to a GObject. Safe from any thread.
///
/// Unchecked: `GWeakRef` is thread-safe, and its memory does not move.
final class WeakObject: @unchecked Sendable {
  private let reference: UnsafeMutablePointer<GWeakRef>

  init(_ object: OpaquePointer) {
    reference = .allocate(capacity: 1)
    g_weak_ref_init(reference, gpointer(object))
  }

  deinit {
    g_weak_ref_clear(reference)
    reference.deallocate()
  }

  /// A strong reference, or `nil` if the object has been freed.
  var object: ObjectReference? { makeReference().map { ObjectReference(adopting: $0) } }

  /// A new strong reference that the caller releases, or `nil` if the object has been freed.
  func makeReference() -> OpaquePointer? { g_weak_ref_get(reference).map { OpaquePointer($0) } }
}
#endif
