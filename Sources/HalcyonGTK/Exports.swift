#if GTK
@_exported public import CGTK
@_exported public import Halcyon
@_exported public import HalcyonViews
#endif
