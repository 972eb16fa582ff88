import HalcyonGTK

/// The style sheet of the gallery.
enum Style {
  private static let sheet = """
    window.gallery { background: #12141a; color: #e8eaf0; }
    window.gallery headerbar { background: #181b23; border-bottom: 1px solid #262a35; box-shadow: none; color: #e8eaf0; }
    window.gallery headerbar .title { font-weight: 700; }
    gridview { background: transparent; padding: 8px; }
    gridview > child { padding: 7px; border-radius: 20px; background: transparent; outline: none; }
    gridview > child:hover { background: #232836; }
    .cell { border-radius: 14px; background: #1d212b; color: #8b93a7; }
    .badge { margin: 9px; padding: 2px 9px; border-radius: 99px; background: rgba(10, 12, 18, 0.55); color: #ffffff;
      font-size: 11px; font-weight: 600; }
    .caption { padding: 26px 13px 9px 13px; color: #ffffff; font-size: 13px; font-weight: 600;
      background: linear-gradient(to top, rgba(8, 10, 16, 0.72), rgba(8, 10, 16, 0)); }
    .status { background: #181b23; border-top: 1px solid #262a35; padding: 7px 16px; font-size: 12px; color: #9aa3b8; }
    .status .value { color: #e8eaf0; font-weight: 700; }
    .dot { border-radius: 99px; min-width: 8px; min-height: 8px; }
    .dot.memory { background: #4ade80; } .dot.disk { background: #60a5fa; } .dot.network { background: #fbbf24; }
    .dot.failed { background: #f87171; } .dot.avoided { background: #c084fc; }
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
    gtk_css_provider_load_from_data(provider, sheet, gssize(sheet.utf8.count))
    gtk_style_context_add_provider_for_display(
      display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    g_object_unref(gpointer(provider))
  }
}
