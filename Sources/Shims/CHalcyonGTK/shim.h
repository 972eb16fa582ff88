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

// Whether textures can be in other colour spaces than sRGB.
static inline gboolean gtk_shim_has_color_states(void) { return GTK_CHECK_VERSION(4, 16, 0); }

// A texture of pixels in Display P3. Before GTK 4.16 they are drawn as sRGB.
static inline GdkTexture *gtk_shim_display_p3_texture(
    int width, int height, GdkMemoryFormat format, GBytes *bytes, gsize stride) {
#if GTK_CHECK_VERSION(4, 16, 0)
  // The code points of ITU-T H.273.
  GdkCicpParams *params = gdk_cicp_params_new();
  gdk_cicp_params_set_color_primaries(params, 12);
  gdk_cicp_params_set_transfer_function(params, 13);
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
