import HalcyonGTK

/// Light or dark, as the desktop is set (org.freedesktop.appearance); without a desktop as GTK's own settings say.
@MainActor
enum ColorScheme {
  private static let name = "org.freedesktop.portal.Desktop"
  private static let path = "/org/freedesktop/portal/desktop"
  private static let interface = "org.freedesktop.portal.Settings"

  /// Applies the setting of the desktop, now and when it changes.
  static func follow() {
    // A theme that the user has chosen for this program is kept.
    guard g_getenv("GTK_THEME") == nil, let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { return }
    let key = [g_variant_new_string("org.freedesktop.appearance"), g_variant_new_string("color-scheme")]
    let reply = g_dbus_connection_call_sync(
      bus, name, path, interface, "Read", g_variant_new_tuple(key, 2), nil, G_DBUS_CALL_FLAGS_NONE, 500, nil, nil)
    if let reply {
      apply(number(in: reply))
      g_variant_unref(reply)
    }
    let changed: GDBusSignalCallback = { _, _, _, _, _, values, _ in
      nonisolated(unsafe) let values = values
      // GLib calls this on the thread of its main loop.
      MainActor.assumeIsolated { ColorScheme.applyChange(values) }
    }
    g_dbus_connection_signal_subscribe(
      bus, name, interface, "SettingChanged", path, "org.freedesktop.appearance", G_DBUS_SIGNAL_FLAGS_NONE, changed,
      nil, nil)
  }

  /// Applies a change, given as namespace, key and value.
  private static func applyChange(_ values: OpaquePointer?) {
    guard let key = g_variant_get_child_value(values, 1), let value = g_variant_get_child_value(values, 2) else {
      return
    }
    if String(cString: g_variant_get_string(key, nil)) == "color-scheme" { apply(number(in: value)) }
    g_variant_unref(key)
    g_variant_unref(value)
  }

  /// 1 stands for dark, 2 for light, 0 for no preference.
  private static func apply(_ scheme: UInt32?) {
    guard let scheme, let settings = gtk_settings_get_default() else { return }
    // Zeros are a value without a type.
    let value = g_malloc0(gsize(MemoryLayout<GValue>.size)).assumingMemoryBound(to: GValue.self)
    defer { g_free(value) }
    // The number of G_TYPE_BOOLEAN, a macro.
    g_value_init(value, GType(5 << 2))
    g_value_set_boolean(value, scheme == 1 ? 1 : 0)
    g_object_set_property(UnsafeMutablePointer(settings), "gtk-application-prefer-dark-theme", value)
  }

  /// The number in a value, which is wrapped in tuples and variants.
  private static func number(in value: OpaquePointer) -> UInt32? {
    if String(cString: g_variant_get_type_string(value)) == "u" { return g_variant_get_uint32(value) }
    guard g_variant_is_container(value) != 0, g_variant_n_children(value) > 0,
      let inner = g_variant_get_child_value(value, 0)
    else { return nil }
    defer { g_variant_unref(inner) }
    return number(in: inner)
  }
}
