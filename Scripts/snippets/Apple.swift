// What the snippets for Apple's platforms may use without declaring it. It is only compiled, never run.

import Foundation
import Halcyon
import HalcyonApple
import UIKit

func any<Value>() -> Value { fatalError() }

var url: URL { any() }
var pipeline: ImagePipeline { any() }
@MainActor var imageView: UIImageView { any() }

extension HalcyonImage {
  /// As that of every SwiftUI view, which the stand-ins do not declare.
  func frame(width: Double, height: Double) -> Self { any() }
}
