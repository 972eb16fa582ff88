#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// The GObject type `HalcyonPaintable`, which implements `GdkPaintable` and `GtkSymbolicPaintable` by an ``ImagePaintable``.
enum PaintableType {
  /// Creates an object that retains `paintable` until it is finalized.
  @MainActor
  static func makeObject(for paintable: ImagePaintable) -> OpaquePointer {
    guard let object = g_object_new_with_properties(type, 0, nil, nil) else {
      preconditionFailure("g_object_new_with_properties failed for HalcyonPaintable")
    }
    let raw = UnsafeMutableRawPointer(object)
    raw.assumingMemoryBound(to: HalcyonPaintable.self).pointee.content = Unmanaged.passRetained(paintable).toOpaque()
    return OpaquePointer(raw)
  }

  private static let type: GType = {
    let type = g_type_register_static_simple(
      g_object_get_type(), "HalcyonPaintable", guint(MemoryLayout<GObjectClass>.size), initializeClass,
      guint(MemoryLayout<HalcyonPaintable>.size), nil, GTypeFlags(0))
    var info = GInterfaceInfo(interface_init: initializeInterface, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, gdk_paintable_get_type(), &info)
    var symbolic = GInterfaceInfo(
      interface_init: initializeSymbolicInterface, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, gtk_symbolic_paintable_get_type(), &symbolic)
    return type
  }()

  private static let initializeClass: GClassInitFunc = { type, _ in
    type?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = { object in
      guard let object else { return }
      let content = UnsafeMutableRawPointer(object).assumingMemoryBound(to: HalcyonPaintable.self).pointee.content
      content.map { Unmanaged<ImagePaintable>.fromOpaque($0).release() }
      g_type_class_peek(g_object_get_type()).assumingMemoryBound(to: GObjectClass.self).pointee.finalize(object)
    }
  }

  private static let initializeInterface: GInterfaceInitFunc = { interface, _ in
    guard let interface = interface?.assumingMemoryBound(to: GdkPaintableInterface.self) else { return }
    interface.pointee.snapshot = { object, snapshot, width, height in
      nonisolated(unsafe) let snapshot = snapshot
      withPaintable(of: object) { paintable in
        if let snapshot { paintable.draw(snapshot, DrawingSize(width: width, height: height)) }
      }
    }
    interface.pointee.get_intrinsic_width = { object in
      withPaintable(of: object) { gint($0.intrinsicSize.width.rounded(.up)) } ?? 0
    }
    interface.pointee.get_intrinsic_height = { object in
      withPaintable(of: object) { gint($0.intrinsicSize.height.rounded(.up)) } ?? 0
    }
    interface.pointee.get_intrinsic_aspect_ratio = { object in
      withPaintable(of: object) { $0.intrinsicSize.aspectRatio } ?? 0
    }
    interface.pointee.get_current_image = { object in
      withPaintable(of: object) { Reference(pointer: $0.makeCurrentImage()) }?.pointer
    }
  }

  /// `GtkImage` draws with the colours of its text, which a paintable without a widget cannot look up.
  private static let initializeSymbolicInterface: GInterfaceInitFunc = { interface, _ in
    guard let interface = interface?.assumingMemoryBound(to: GtkSymbolicPaintableInterface.self) else { return }
    interface.pointee.snapshot_symbolic = { object, snapshot, width, height, colors, count in
      nonisolated(unsafe) let snapshot = snapshot
      let color = count > 0 ? colors?.pointee : nil
      withPaintable(of: object) { paintable in
        if let color { paintable.style?.lastTextColor = color }
        if let snapshot { paintable.draw(snapshot, DrawingSize(width: width, height: height)) }
      }
    }
  }

  /// Returns a pointer from the main actor to a caller on the same thread.
  private struct Reference: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  /// Calls `body` with the contents of an object. GTK draws on the main thread.
  private static func withPaintable<Result: Sendable>(
    of object: OpaquePointer?, _ body: @MainActor (ImagePaintable) -> Result
  ) -> Result? {
    nonisolated(unsafe) let object = object
    return MainActor.assumeIsolated {
      guard let object else { return nil }
      let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: HalcyonPaintable.self)
      return instance.pointee.content.map { body(Unmanaged<ImagePaintable>.fromOpaque($0).takeUnretainedValue()) }
    }
  }
}
#endif
