import HalcyonGTK

/// The style sheet of the gallery.
enum Style {
  private static let sheet = """
    window.gallery { background: @theme_bg_color; color: @theme_fg_color; }
    window.gallery headerbar { border-bottom: 1px solid alpha(@theme_fg_color, 0.12); box-shadow: none; }
    window.gallery headerbar .title { font-weight: 700; }
    gridview { background: transparent; padding: 8px; }
    gridview > child { padding: 7px; border-radius: 20px; background: transparent; outline: none; }
    gridview > child:hover { background: alpha(@theme_fg_color, 0.1); }
    gridview > child:focus-visible > .cell { outline: 3px solid @theme_selected_bg_color; outline-offset: 2px; }
    .cell { border-radius: 14px; background: alpha(@theme_fg_color, 0.06); color: alpha(@theme_fg_color, 0.6); }
    .badge { margin: 9px; padding: 2px 9px; border-radius: 99px; background: rgba(10, 12, 18, 0.55); color: #ffffff;
      font-size: 11px; font-weight: 600; }
    .caption { padding: 26px 13px 9px 13px; color: #ffffff; font-size: 13px; font-weight: 600;
      background: linear-gradient(to top, rgba(8, 10, 16, 0.72), rgba(8, 10, 16, 0)); }
    .status { border-top: 1px solid alpha(@theme_fg_color, 0.12); padding: 5px 12px; font-size: 12px; }
    .status > flowboxchild { padding: 2px 4px; color: alpha(@theme_fg_color, 0.7); }
    .status .value { color: @theme_fg_color; font-weight: 700; }
    .dot { border-radius: 99px; min-width: 8px; min-height: 8px; }
    .dot.memory { background: #22c55e; } .dot.disk { background: #3b82f6; } .dot.network { background: #f59e0b; }
    .dot.failed { background: #ef4444; } .dot.avoided { background: #a855f7; }
    .stage { background: #0c0e13; color: #8b93a7; }
    .facts { margin: 18px; padding: 10px 18px; border-radius: 14px; background: rgba(18, 20, 26, 0.82); font-size: 13px; }
    .facts .name { font-size: 17px; font-weight: 700; color: #ffffff; }
    .facts .detail { color: #b4bccd; }
    .settings { padding: 14px; } .settings .heading { font-weight: 700; }
    """

  /// Applies it to all windows of the default display.
  @MainActor
  static func apply() {
    guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
    gtk_shim_load_css(provider, sheet)
    gtk_style_context_add_provider_for_display(
      display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    g_object_unref(gpointer(provider))
  }
}
