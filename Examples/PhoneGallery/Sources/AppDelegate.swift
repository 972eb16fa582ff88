import HalcyonApple
import HalcyonCache
import Halcyon
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    configureCache()
    // Views ask for it by themselves; prefetching knows no screen.
    RequestOptions.global.colorSpace = .source
    let window = UIWindow(frame: UIScreen.main.bounds)
    window.rootViewController = UINavigationController(rootViewController: GalleryViewController())
    window.makeKeyAndVisible()
    self.window = window
    return true
  }

  /// An app for trips: at launch and in the background it removes everything after a day without use.
  private func configureCache() {
    var cleaning = CleaningPolicy(wipesAfterIdle: .seconds(24 * 3600))
    cleaning.occasions = [.firstUse, .background]
    ImagePipeline.shared.cache.diskConfiguration?.cleaning = cleaning
    ImagePipeline.shared.cache.diskConfiguration?.sizeLimit = 200 << 20
  }
}
