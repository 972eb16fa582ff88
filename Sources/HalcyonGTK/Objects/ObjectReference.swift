#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// A strong reference to a GObject, released in `deinit`.
final class ObjectReference {
  let pointer: OpaquePointer

  /// Adopts a reference that the caller owns.
  init(adopting pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Adds a reference.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    g_object_ref(gpointer(pointer))
  }

  deinit { g_object_unref(gpointer(pointer)) }
}
#endif
