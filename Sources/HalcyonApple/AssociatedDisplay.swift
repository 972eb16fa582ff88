#if canImport(ObjectiveC)
import ObjectiveC

/// Ties one display to each view, for as long as the view lives.
@MainActor
enum AssociatedDisplay {
  /// Never read: only its address counts.
  private static let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  /// The display of a view, made when it is first asked for.
  static func of<View: AnyObject, Display: AnyObject>(_ view: View, make: (View) -> Display) -> Display {
    if let display = objc_getAssociatedObject(view, key) as? Display { return display }
    let display = make(view)
    objc_setAssociatedObject(view, key, display, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
    return display
  }
}
#endif
