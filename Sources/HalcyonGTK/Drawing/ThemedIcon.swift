#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// An icon of the theme in a widget: it has the widget's colour at each drawing, and is looked up again when the icon theme,
/// the scale or the direction of text has changed.
@MainActor
final class ThemedIcon {
  /// In points; empty if the theme has no such icon.
  let size: DrawingSize
  /// Called when the icon theme has changed.
  var onChange: (@MainActor () -> Void)?

  private let name: String
  private let side: gint
  private let style: WidgetStyle
  private var icon: ObjectReference?
  private var variant: WidgetStyle.IconVariant?

  /// - Parameter side: In points.
  init(_ name: String, side: gint, style: WidgetStyle) {
    (self.name, self.side, self.style) = (name, side, style)
    (icon, variant) = (style.icon(name, side: side), style.iconVariant)
    size =
      icon.map {
        DrawingSize(
          width: Double(gdk_paintable_get_intrinsic_width($0.pointer)),
          height: Double(gdk_paintable_get_intrinsic_height($0.pointer)))
      } ?? .zero
    IconThemeObservers.shared.add(self)
  }

  func draw(_ snapshot: OpaquePointer, width: Double, height: Double) {
    if let variant = style.iconVariant, variant != self.variant { lookUp(variant) }
    guard let icon else { return }
    var color = style.textColor
    gtk_symbolic_paintable_snapshot_symbolic(icon.pointer, snapshot, width, height, &color, 1)
  }

  fileprivate func themeDidChange() {
    if let variant = style.iconVariant { lookUp(variant) }
    onChange?()
  }

  private func lookUp(_ variant: WidgetStyle.IconVariant) {
    self.variant = variant
    icon = style.icon(name, side: side) ?? icon
  }
}

/// Notifies icons of changes of the icon theme. They are retained weakly, and the theme has one handler.
@MainActor
private final class IconThemeObservers {
  static let shared = IconThemeObservers()

  private struct WeakIcon { weak var icon: ThemedIcon? }

  private var icons: [WeakIcon] = []
  /// The number of icons at which released ones are removed.
  private var sweepCount = 64

  private init() {
    guard let display = gdk_display_get_default(), let theme = gtk_icon_theme_get_for_display(display) else { return }
    theme.connect("changed") { [weak self] in
      for icon in self?.icons ?? [] { icon.icon?.themeDidChange() }
    }
  }

  func add(_ icon: ThemedIcon) {
    icons.append(WeakIcon(icon: icon))
    guard icons.count >= sweepCount else { return }
    icons.removeAll { $0.icon == nil }
    sweepCount = max(64, icons.count * 2)
  }
}
#endif
