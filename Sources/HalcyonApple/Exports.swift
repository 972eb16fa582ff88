@_exported public import HalcyonViews
