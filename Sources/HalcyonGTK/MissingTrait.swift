// Without the trait GTK the module has no GTK. The compiler then names the trait where a program begins to use GTK.
#if !canImport(CHalcyonGTK)
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public func gtk_init() {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public func gtk_init_check() -> Int32 { 0 }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public func gtk_application_new(_: Any...) -> Any { () }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public func gtk_picture_new() -> Any { () }

/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public enum MainLoop {}

/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public struct PictureGrid {}

/// Needs the trait GTK.
@available(*, unavailable, message: "Enable the trait GTK of Halcyon: .package(url: …, traits: [\"GTK\"])")
public struct PictureView {
  /// Needs the trait GTK.
  public init() {}
}
#endif
