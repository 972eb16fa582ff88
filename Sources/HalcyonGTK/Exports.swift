#if canImport(CHalcyonGTK)
@_exported public import CHalcyonGTK
#endif
@_exported public import Halcyon
@_exported public import HalcyonViews
