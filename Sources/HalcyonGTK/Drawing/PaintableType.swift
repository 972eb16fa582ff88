#if GTK
import CGTK

/// The type of objects that GTK draws and whose drawing is done by a ``ImagePaintable``.
enum PaintableType {
  /// A new object that holds its canvas until it is freed.
  @MainActor
  static func makeObject(drawnBy canvas: ImagePaintable) -> OpaquePointer {
    guard let object = g_object_new_with_properties(type, 0, nil, nil) else {
      preconditionFailure("GLib makes no object of the type HalcyonPaintable")
    }
    let raw = UnsafeMutableRawPointer(object)
    raw.assumingMemoryBound(to: HalcyonPaintable.self).pointee.content = Unmanaged.passRetained(canvas).toOpaque()
    return OpaquePointer(raw)
  }

  private static let type: GType = {
    let type = g_type_register_static_simple(
      g_object_get_type(), "HalcyonPaintable", guint(MemoryLayout<GObjectClass>.size), initializeClass,
      guint(MemoryLayout<HalcyonPaintable>.size), nil, GTypeFlags(0))
    var info = GInterfaceInfo(interface_init: initializeInterface, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, gdk_paintable_get_type(), &info)
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
    interface.pointee.snapshot = { paintable, snapshot, width, height in
      nonisolated(unsafe) let snapshot = snapshot
      onCanvas(paintable) { canvas in
        if let snapshot { canvas.draw(snapshot, DrawingSize(width: width, height: height)) }
      }
    }
    interface.pointee.get_intrinsic_width = { paintable in onCanvas(paintable) { gint($0.size.width.rounded(.up)) } ?? 0
    }
    interface.pointee.get_intrinsic_height = { paintable in
      onCanvas(paintable) { gint($0.size.height.rounded(.up)) } ?? 0
    }
    interface.pointee.get_intrinsic_aspect_ratio = { paintable in onCanvas(paintable) { $0.size.aspectRatio } ?? 0 }
    interface.pointee.get_current_image = { paintable in
      onCanvas(paintable) { Reference(pointer: $0.makeStillPaintable()) }?.pointer
    }
  }

  /// Carries a pointer out of the main actor to its caller, which is on the same thread.
  private struct Reference: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  /// GTK draws on the main thread.
  private static func onCanvas<Result: Sendable>(
    _ paintable: OpaquePointer?, _ body: @MainActor (ImagePaintable) -> Result
  ) -> Result? {
    nonisolated(unsafe) let paintable = paintable
    return MainActor.assumeIsolated {
      guard let paintable else { return nil }
      let object = UnsafeMutableRawPointer(paintable).assumingMemoryBound(to: HalcyonPaintable.self)
      return object.pointee.content.map { body(Unmanaged<ImagePaintable>.fromOpaque($0).takeUnretainedValue()) }
    }
  }
}
#endif
