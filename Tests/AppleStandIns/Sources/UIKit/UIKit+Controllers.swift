// The declarations that the sample app uses, which is only compiled.

extension UIApplication {
  public struct LaunchOptionsKey: Hashable, Sendable {}
}

@MainActor
public protocol UIApplicationDelegate: AnyObject {
  init()
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
}

extension UIApplicationDelegate {
  public static func main() {}
}

@MainActor
public final class UIScreen {
  public static let main = UIScreen()
  public let bounds = CGRect(x: 0, y: 0, width: 390, height: 844)
}

extension UIWindow {
  public var rootViewController: UIViewController? {
    get { nil }
    set { newValue?.viewDidLoad() }
  }
  public func makeKeyAndVisible() {}
}

open class UIViewController: UIResponder {
  open var title: String?
  open var view: UIView = UIView(frame: .zero)
  open var navigationController: UINavigationController? { nil }

  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
  public required init?(coder: NSCoder) { nil }
  open func viewDidLoad() {}
}

open class UINavigationController: UIViewController {
  public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
  public required init?(coder: NSCoder) { nil }
  open func pushViewController(_ viewController: UIViewController, animated: Bool) {}
}

@MainActor
open class UICollectionViewLayout {
  public init() {}
}

open class UICollectionViewFlowLayout: UICollectionViewLayout {
  open var itemSize = CGSize(width: 50, height: 50)
}

public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
  public struct ImageProperties {
    public var maximumSize = CGSize.zero
  }

  public var text: String?
  public var image: UIImage?
  public var imageProperties = ImageProperties()

  public static func cell() -> UIListContentConfiguration { UIListContentConfiguration() }
}

open class UITableViewCell: UIView {
  open var contentConfiguration: (any UIContentConfiguration)?
}

open class UICollectionViewCell: UIView {
  open var contentConfiguration: (any UIContentConfiguration)?
  open private(set) lazy var contentView = UIView(frame: bounds)

  public override init(frame: CGRect) { super.init(frame: frame) }
  public required init?(coder: NSCoder) { nil }
}

@MainActor
public protocol UICollectionViewDataSourcePrefetching: AnyObject {
  func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
  func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

open class UICollectionView: UIView {
  public weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?

  open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {}
  open func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
    -> UICollectionViewCell
  { UICollectionViewCell(frame: .zero) }
}

open class UICollectionViewController: UIViewController {
  open private(set) lazy var collectionView: UICollectionView = UICollectionView(frame: .zero)

  public init(collectionViewLayout layout: UICollectionViewLayout) { super.init(nibName: nil, bundle: nil) }
  public required init?(coder: NSCoder) { nil }
  open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { 0 }
  open func collectionView(
    _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
  ) -> UICollectionViewCell { UICollectionViewCell(frame: .zero) }
  open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {}
}

extension IndexPath {
  public var item: Int { self[1] }
}
