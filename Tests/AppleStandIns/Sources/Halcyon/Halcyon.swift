@_exported public import HalcyonCore

extension ImagePipeline {
  public static var shared: ImagePipeline { fatalError("compiled, never run") }
}
