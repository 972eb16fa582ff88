#if canImport(CHalcyonGTK)
/// A reference to a widget or another GObject that is `nil` once the object has been freed, as `weak` is for a class.
///
/// ```swift
/// final class Details {
///   @WeakReference var title: UnsafeMutablePointer<GtkWidget>?
///   @WeakReference var selection: OpaquePointer?
/// }
/// ```
///
/// It keeps nothing alive, and a pointer that is read from it is valid until the program frees the object. Use it for
/// widgets that another one owns: GTK's own functions ignore `nil`, with a warning.
@propertyWrapper
public struct WeakReference<Pointer: GObjectPointer> {
  private var target: (pointer: Pointer, object: WeakObject)?

  /// Creates a reference.
  ///
  /// - Parameter wrappedValue: The object. Default: `nil`.
  public init(wrappedValue: Pointer? = nil) { self.wrappedValue = wrappedValue }

  /// The object; `nil` if there is none, or it has been freed.
  public var wrappedValue: Pointer? {
    get { target?.object.object == nil ? nil : target?.pointer }
    set { target = newValue.map { ($0, WeakObject($0.opaque)) } }
  }
}
#endif
