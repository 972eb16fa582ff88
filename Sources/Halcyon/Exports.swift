// The modules that come with `import Halcyon`.
@_exported public import HalcyonCache
@_exported public import HalcyonHTTP
@_exported public import HalcyonImaging
@_exported public import HalcyonPipeline
@_exported public import HalcyonSupport
