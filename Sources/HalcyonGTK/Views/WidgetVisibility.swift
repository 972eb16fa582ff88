#if GTK
import CGTK

/// Whether somebody can see a widget: it is mapped, and in sight of the scrolled window around it if there is one.
@MainActor
final class WidgetVisibility {
  private(set) var isVisible = false
  /// Called when it comes onto the screen or leaves it.
  var onChange: (@MainActor (Bool) -> Void)?

  private let widget: UnsafeMutablePointer<GtkWidget>
  private var sight: ScrollViewport?

  init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    self.widget = widget
    Signal.connect(widget, "map") { [weak self] in self?.begin() }
    Signal.connect(widget, "unmap") { [weak self] in self?.end() }
    if gtk_widget_get_mapped(widget) != 0 { begin() }
  }

  /// Lets go of the scrolled window, since the widget is about to be gone.
  func stop() {
    sight?.leave(widget)
    (sight, onChange) = (nil, nil)
  }

  private func begin() {
    sight = ScrollViewport.around(widget)
    sight?.watch(widget) { [weak self] in self?.become($0) }
    become(sight?.contains(widget) ?? true)
  }

  private func end() {
    sight?.leave(widget)
    sight = nil
    become(false)
  }

  private func become(_ isVisible: Bool) {
    guard isVisible != self.isVisible else { return }
    self.isVisible = isVisible
    onChange?(isVisible)
  }
}
#endif
