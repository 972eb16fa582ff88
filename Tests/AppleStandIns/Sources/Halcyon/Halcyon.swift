@_exported public import HalcyonCache
@_exported public import HalcyonHTTP
@_exported public import HalcyonImaging
@_exported public import HalcyonPipeline
@_exported public import HalcyonSupport

extension ImagePipeline {
  public static var shared: ImagePipeline { fatalError("compiled, never run") }
}
