#if canImport(ObjectiveC)
import ObjectiveC

/// Attaches one display to each view as an associated object, which lives as long as the view.
@MainActor
enum AssociatedDisplay {
  /// Only its address is used.
  private static let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  /// The display of a view, created by `make` at the first call.
  static func of<View: AnyObject, Display: AnyObject>(_ view: View, make: (View) -> Display) -> Display {
    if let display = objc_getAssociatedObject(view, key) as? Display { return display }
    let display = make(view)
    objc_setAssociatedObject(view, key, display, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
    return display
  }
}
#endif
