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
