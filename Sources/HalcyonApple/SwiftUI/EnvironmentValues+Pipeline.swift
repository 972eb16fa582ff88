#if canImport(SwiftUI)
public import Halcyon
public import SwiftUI

extension EnvironmentValues {
  private struct PipelineKey: EnvironmentKey {
    static var defaultValue: ImagePipeline? { nil }
  }

  /// The pipeline that loads the images of each ``HalcyonImage`` that names none. Default: `nil`,
  /// ``ImagePipeline/shared``. Set it with `.environment(\.imagePipeline, pipeline)`.
  public var imagePipeline: ImagePipeline? {
    get { self[PipelineKey.self] }
    set { self[PipelineKey.self] = newValue }
  }
}
#endif
