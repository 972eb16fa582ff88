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

func isPinned(_ challenge: URLAuthenticationChallenge) async -> Bool { any() }
