#include <gtk/gtk.h>
#include <sys/eventfd.h>

// What libdispatch offers to main loops other than its own; Foundation's run loop drains the main queue this way, too.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *_Nullable);

// An object whose drawing is done in Swift, which sets `content`.
typedef struct {
  GObject parent;
  gpointer content;
} HalcyonPaintable;
