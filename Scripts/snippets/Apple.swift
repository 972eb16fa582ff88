// What the snippets for Apple's platforms may use without declaring it. It is only compiled, never run.

import Foundation
import FoundationNetworking
import Halcyon
import HalcyonApple
import SwiftUI
import UIKit

func any<Value>() -> Value { fatalError() }

var url: URL { any() }
var pipeline: ImagePipeline { any() }
@MainActor var imageView: UIImageView { any() }
@MainActor var button: UIButton { any() }
@MainActor var layer: CALayer { any() }
@MainActor var item: UIBarButtonItem { any() }

var video: URL { any() }
var document: URL { any() }

// Of PhotosUI, Photos, AVFoundation and PDFKit, and of SwiftUI, for which there are no stand-ins.

var picked: PhotosPickerItem { any() }

struct PhotosPickerItem {
  private let provider: NSObject
  func loadTransferable<T: Sendable>(type: T.Type) async throws -> sending T? { any() }
}

final class PHFetchResult<Object> {
  var firstObject: Object? { any() }
}

final class PHAsset {
  var localIdentifier: String { any() }
  var modificationDate: Date? { any() }
  static func fetchAssets(withLocalIdentifiers: [String], options: Never?) -> PHFetchResult<PHAsset> { any() }
}

final class PHImageRequestOptions {
  var isNetworkAccessAllowed = false
}

final class PHImageManager {
  static func `default`() -> PHImageManager { any() }
  func requestImageDataAndOrientation(
    for asset: PHAsset, options: PHImageRequestOptions?,
    resultHandler: @escaping (Data?, String?, UInt32, [AnyHashable: Any]?) -> Void
  ) -> Int32 { any() }
}

let PHImageErrorKey = "PHImageErrorKey"

struct CMTime {
  init(seconds: Double, preferredTimescale: Int32) {}
}

final class AVURLAsset {
  init(url: URL) {}
}

final class AVAssetImageGenerator {
  var appliesPreferredTrackTransform = false
  var maximumSize = CGSize.zero
  init(asset: AVURLAsset) {}
  func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) { any() }
}

enum PDFDisplayBox { case mediaBox }

final class PDFPage {
  func thumbnail(of size: CGSize, for box: PDFDisplayBox) -> UIImage { any() }
}

final class PDFDocument {
  init?(url: URL) {}
  func page(at index: Int) -> PDFPage? { any() }
}

struct GraphicsContext {
  func draw(_ image: Image, in rect: CGRect) {}
}

struct Canvas: View {
  typealias Body = Never
  init(renderer: @escaping (inout GraphicsContext, CGSize) -> Void) {}
}

// Of UIKit, for which the stand-ins have no scroll views.

@MainActor
protocol UIScrollViewDelegate: NSObjectProtocol {
  func viewForZooming(in scrollView: UIScrollView) -> UIView?
  func scrollViewDidEndZooming(_ scrollView: UIScrollView, with view: UIView?, atScale scale: CGFloat)
  func scrollViewDidEndDecelerating(_ scrollView: UIScrollView)
}

final class UIScrollView: UIView {
  var zoomScale: CGFloat { any() }
}

extension UIView {
  func convert(_ rect: CGRect, from view: UIView) -> CGRect { any() }
}

func isPinned(_ challenge: URLAuthenticationChallenge) async -> Bool { any() }
