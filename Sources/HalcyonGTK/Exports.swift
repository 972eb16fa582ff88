#if canImport(CGTK)
@_exported public import CGTK
#endif
@_exported public import Halcyon
@_exported public import HalcyonViews
