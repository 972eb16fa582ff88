#if GTK
import CHalcyonGTK
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Images that views load and share.
@MainActor
enum ViewScenes {
  /// A pipeline without a disk cache and without retries.
  static func pipeline() -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.cache = ImageCache(disk: nil)
    configuration.options.retryStrategy = .never
    return ImagePipeline(configuration: configuration)
  }

  static func image(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 200, height: 100)
    try await stage.load(try SolidImage.request(.red), in: picture)
    try await stage.require(picture, is: .red)
    try await stage.require(picture, x: 0.3, is: .red)
    // A square image in a view twice as wide leaves a quarter of it empty on each side.
    try await stage.require(picture, x: 0.2, is: .clear)
    try await stage.require(picture, x: 0.8, is: .clear)
  }

  static func gtkImage(_ stage: Stage) async throws {
    guard let image = gtk_image_new() else { return }
    gtk_image_set_pixel_size(OpaquePointer(image), 80)
    try await stage.add(image)
    let outcome = try await stage.load(try SolidImage.request(.red, width: 400, height: 400), in: image)
    let size = try outcome.last?.get().image.size
    try stage.require(size == PixelSize(width: 80, height: 80), "it was decoded at \(String(describing: size))")
    try await stage.require(image, is: .red)
    try stage.require(OpaquePointer(image).hc.isLoading == false, "an OpaquePointer has another binder")
  }

  static func ownPipeline(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let (own, other) = (pipeline(), pipeline())
      let view = PictureView(pipeline: own)
      try await stage.add(view.widget)
      let outcome = Outcome()
      for (number, named) in [nil, other, nil].enumerated() {
        let url = server.serve("/\(number).png", .body(try SolidImage.png(.green)))
        view.hc.setImage(with: url, pipeline: named, completion: outcome.take)
        try await stage.until("it is loaded") { outcome.count == number + 1 }
        let request = ImageRequest(url: url, size: .fit(width: 100, height: 100))
        let isCached = (own: own[cached: request] != nil, other: other[cached: request] != nil)
        try stage.require(
          isCached == (own: named == nil, other: named != nil), "image \(number) is cached by \(isCached)")
      }
    }
  }
}
#endif
