#include <gtk/gtk.h>
#include <sys/eventfd.h>

// libdispatch's functions for draining the main queue from another main loop, which Foundation's run loop also uses.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *_Nullable);

// A GdkPaintable implemented in Swift, which sets `content`.
typedef struct {
  GObject parent;
  gpointer content;
} HalcyonPaintable;

// The colour of a widget's text.
static inline void gtk_shim_text_color(GtkWidget *widget, GdkRGBA *color) {
#if GTK_CHECK_VERSION(4, 10, 0)
  gtk_widget_get_color(widget, color);
#else
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), color);
#endif
}

// A colour that the theme names. GTK 4.10 and newer deprecate this, and have nothing in its place.
static inline gboolean gtk_shim_lookup_color(GtkWidget *widget, const char *name, GdkRGBA *color) {
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  return gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), name, color);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

// Sets the rules of a style sheet.
static inline void gtk_shim_load_css(GtkCssProvider *provider, const char *text) {
#if GTK_CHECK_VERSION(4, 12, 0)
  gtk_css_provider_load_from_string(provider, text);
#else
  gtk_css_provider_load_from_data(provider, text, -1);
#endif
}

// Whether textures can be in other colour spaces than sRGB.
static inline gboolean gtk_shim_has_color_states(void) { return GTK_CHECK_VERSION(4, 16, 0); }

// A texture of pixels in Display P3, which half floats hold as linear light. Before GTK 4.16 they are drawn as sRGB.
static inline GdkTexture *gtk_shim_display_p3_texture(
    int width, int height, GdkMemoryFormat format, GBytes *bytes, gsize stride) {
#if GTK_CHECK_VERSION(4, 16, 0)
  // The code points of ITU-T H.273.
  GdkCicpParams *params = gdk_cicp_params_new();
  gdk_cicp_params_set_color_primaries(params, 12);
  gdk_cicp_params_set_transfer_function(params, format == GDK_MEMORY_R16G16B16A16_FLOAT_PREMULTIPLIED ? 8 : 13);
  gdk_cicp_params_set_matrix_coefficients(params, 0);
  gdk_cicp_params_set_range(params, GDK_CICP_RANGE_FULL);
  GdkColorState *state = gdk_cicp_params_build_color_state(params, NULL);
  g_object_unref(params);
  GdkMemoryTextureBuilder *builder = gdk_memory_texture_builder_new();
  gdk_memory_texture_builder_set_width(builder, width);
  gdk_memory_texture_builder_set_height(builder, height);
  gdk_memory_texture_builder_set_format(builder, format);
  gdk_memory_texture_builder_set_bytes(builder, bytes);
  gdk_memory_texture_builder_set_stride(builder, stride);
  if (state) {
    gdk_memory_texture_builder_set_color_state(builder, state);
    gdk_color_state_unref(state);
  }
  GdkTexture *texture = gdk_memory_texture_builder_build(builder);
  g_object_unref(builder);
  return texture;
#else
  return gdk_memory_texture_new(width, height, format, bytes, stride);
#endif
}
