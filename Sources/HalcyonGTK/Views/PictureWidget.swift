#if canImport(CHalcyonGTK)
public import CHalcyonGTK
import Foundation
import HalcyonPipeline
import HalcyonViews

/// The GObject type `HalcyonPicture`: a picture that loads its image, for UI files and Blueprint.
///
/// ```xml
/// <object class="HalcyonPicture">
///   <property name="uri">https://example.com/photo.jpg</property>
///   <property name="placeholder-icon-name">image-x-generic-symbolic</property>
/// </object>
/// ```
///
/// Its properties are `uri`, `placeholder-icon-name`, `alternative-text` (strings) and `content-fit` (`GtkContentFit`).
/// It loads with the options of ``ImageViewOptions/global``; `widget.hc` is the binder of its picture.
public enum PictureWidget {
  /// Registers the type, before a UI file that names it is read. Idempotent.
  ///
  /// - Returns: The type, for `g_object_new_with_properties`.
  @MainActor
  @discardableResult
  public static func register() -> GType {
    MainLoop.runMainActor()
    return type
  }

  /// The `GtkPicture` of a `HalcyonPicture`; `nil` for any other widget.
  @MainActor
  static func picture(of widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget>? {
    // Without the type there is no instance.
    guard g_type_from_name("HalcyonPicture") != 0, widget.isInstance(of: type) else { return nil }
    return gtk_widget_get_first_child(widget)
  }

  private enum Property: guint, CaseIterable {
    case uri = 1
    case placeholderIconName, alternativeText, contentFit

    var specification: UnsafeMutablePointer<GParamSpec>? {
      switch self {
      case .uri: text("uri", "The URL of the image")
      case .placeholderIconName: text("placeholder-icon-name", "The icon that is shown until the image is loaded")
      case .alternativeText: text("alternative-text", "What a screen reader says in place of the image")
      case .contentFit:
        g_param_spec_enum(
          "content-fit", nil, "How the image is scaled", gtk_content_fit_get_type(),
          gint(GTK_CONTENT_FIT_CONTAIN.rawValue), G_PARAM_READWRITE)
      }
    }

    private func text(_ name: String, _ description: String) -> UnsafeMutablePointer<GParamSpec>? {
      g_param_spec_string(name, nil, description, nil, G_PARAM_READWRITE)
    }
  }

  /// The values of the properties, attached to a widget.
  @MainActor
  private final class Values {
    var texts: [Property: String] = [:]
  }

  private static let key = g_quark_from_string("halcyon-properties")

  private static let type = BinWidget.register("HalcyonPicture", initializeClass, initialize)

  private static let initializeClass: GClassInitFunc = { type, _ in
    guard let type else { return }
    BinWidget.initializeClass(type)
    let object = type.assumingMemoryBound(to: GObjectClass.self)
    object.pointee.set_property = { object, id, value, _ in
      nonisolated(unsafe) let (object, value) = (object, value)
      MainActor.assumeIsolated { set(Property(rawValue: id), of: object, to: value) }
    }
    object.pointee.get_property = { object, id, value, _ in
      nonisolated(unsafe) let (object, value) = (object, value)
      MainActor.assumeIsolated { get(Property(rawValue: id), of: object, into: value) }
    }
    for property in Property.allCases {
      g_object_class_install_property(object, property.rawValue, property.specification)
    }
  }

  private static let initialize: GInstanceInitFunc = { instance, _ in
    guard let instance, let picture = gtk_picture_new() else { return }
    gtk_widget_set_parent(picture, UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GtkWidget.self))
  }

  @MainActor
  private static func set(
    _ property: Property?, of object: UnsafeMutablePointer<GObject>?, to value: UnsafePointer<GValue>?
  ) {
    guard let property, let object, let value, let picture = child(of: object) else { return }
    if property == .contentFit {
      return gtk_picture_set_content_fit(
        OpaquePointer(picture), GtkContentFit(rawValue: UInt32(g_value_get_enum(value))))
    }
    values(of: object).texts[property] = g_value_get_string(value).map { String(cString: $0) }
    load(values(of: object), in: picture)
  }

  @MainActor
  private static func get(
    _ property: Property?, of object: UnsafeMutablePointer<GObject>?, into value: UnsafeMutablePointer<GValue>?
  ) {
    guard let property, let object, let picture = child(of: object) else { return }
    if property == .contentFit {
      g_value_set_enum(value, gint(gtk_picture_get_content_fit(OpaquePointer(picture)).rawValue))
    } else {
      g_value_set_string(value, values(of: object).texts[property])
    }
  }

  @MainActor
  private static func load(_ values: Values, in picture: UnsafeMutablePointer<GtkWidget>) {
    let options = ImageViewOptions(
      placeholder: values.texts[.placeholderIconName].map { .icon($0) }, alternativeText: values.texts[.alternativeText]
    )
    if let uri = values.texts[.uri] {
      picture.hc.setImage(with: ImageRequest(source: .string(uri)), options: options)
    } else {
      picture.hc.setImage(with: nil, options: options)
    }
  }

  private static func child(of object: UnsafeMutablePointer<GObject>) -> UnsafeMutablePointer<GtkWidget>? {
    gtk_widget_get_first_child(UnsafeMutablePointer<GtkWidget>(OpaquePointer(object)))
  }

  @MainActor
  private static func values(of object: UnsafeMutablePointer<GObject>) -> Values {
    object.owned(under: key) ?? object.own(Values(), under: key)
  }
}
#endif
