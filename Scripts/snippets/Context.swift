// What the snippets of the guides may use without declaring it. It is only compiled, never run.

import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonGTK
import HalcyonBackend
import HalcyonViews

func any<Value>() -> Value { fatalError() }

var url: URL { any() }
var urls: [URL] { any() }
var mirror: URL { any() }
var folder: URL { any() }
var file: URL { any() }
var files: [URL] { any() }
var bytes: Data { any() }
var token: String { any() }
var endpoint: URL { any() }
var credentials: S3Credentials { any() }

var pipeline: ImagePipeline {
  get { any() }
  set {}
}
var configuration: PipelineConfiguration {
  get { any() }
  set {}
}
var request: ImageRequest {
  get { any() }
  set {}
}
var requests: [ImageRequest] { any() }
var image: DecodedImage { any() }
var response: ImageResponse { any() }
var thumbnail: DecodedImage { any() }
var transport: any Transport { any() }
var store: any DataStore { any() }
var stickers: ImageCache { any() }
var downloads: ImageCache { any() }
var prefetcher: ImagePrefetcher { any() }

func show(_ image: DecodedImage) {}
func show(_ bitmap: Bitmap) {}
func show(_ hash: ThumbHash) {}
func showPlaceholder(_ text: String) {}
func draw(_ pixels: UnsafeRawBufferPointer, _ size: PixelSize) {}

/// A view of some toolkit; `hc` of a view in UIKit or AppKit is its binder, too.
@MainActor
final class SomeView {
  var hc: ImageViewProxy { any() }
}

@MainActor
final class ProgressBar {
  var fraction = 0.0
}

@MainActor
final class TextLabel {
  var text = ""
}

@MainActor var view: SomeView { any() }
@MainActor var views: [SomeView] { any() }
@MainActor var bar: ProgressBar { any() }
@MainActor var label: TextLabel { any() }
@MainActor var picture: UnsafeMutablePointer<GtkWidget> { any() }
@MainActor var grid: UnsafeMutablePointer<GtkGrid> { any() }
@MainActor var window: UnsafeMutablePointer<GtkWidget> { any() }
@MainActor var overlay: UnsafeMutablePointer<GtkWidget> { any() }
@MainActor var factory: OpaquePointer { any() }
@MainActor var controller: OpaquePointer { any() }
