#if GTK
import CGTK

/// A reference to an object of GLib's, given back with the last owner in Swift.
final class ObjectReference {
  let pointer: OpaquePointer

  /// Takes over a reference that somebody else took.
  init(adopting pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Takes a reference of its own.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    g_object_ref(gpointer(pointer))
  }

  deinit { g_object_unref(gpointer(pointer)) }
}
#endif
