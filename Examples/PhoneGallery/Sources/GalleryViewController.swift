import Halcyon
import HalcyonApple
import UIKit

/// A grid of photographs, those below it loaded early.
final class GalleryViewController: UICollectionViewController, UICollectionViewDataSourcePrefetching {
  private let photos = (1...500).compactMap { URL(string: "https://picsum.photos/id/\($0)/1200/900") }
  /// Loads images as the cells do.
  private lazy var prefetcher = ImagePrefetcher(
    for: ViewSize(width: 120, height: 120), scale: Double(collectionView.traitCollection.displayScale), mode: .fill,
    colorSpace: collectionView.traitCollection.displayGamut == .P3 ? .source : nil, pipeline: .shared)

  init() {
    let layout = UICollectionViewFlowLayout()
    layout.itemSize = CGSize(width: 120, height: 120)
    super.init(collectionViewLayout: layout)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Gallery"
    collectionView.register(PhotoCell.self, forCellWithReuseIdentifier: "photo")
    collectionView.prefetchDataSource = self
  }

  override func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
    photos.count
  }

  override func collectionView(
    _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
  ) -> UICollectionViewCell {
    let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "photo", for: indexPath)
    (cell as? PhotoCell)?.show(photos[indexPath.item])
    return cell
  }

  override func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
    let page = PhotoViewController(photo: photos[indexPath.item])
    navigationController?.pushViewController(page, animated: true)
  }

  func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
    prefetcher.start(indexPaths.map { photos[$0.item] })
  }

  func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]) {
    prefetcher.stop(indexPaths.map { photos[$0.item] })
  }
}

/// A photograph of the grid. A reused cell never shows the photograph of an earlier one.
private final class PhotoCell: UICollectionViewCell {
  private let imageView = UIImageView(frame: .zero)

  override init(frame: CGRect) {
    super.init(frame: frame)
    imageView.frame = contentView.bounds
    imageView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    imageView.contentMode = .scaleAspectFill
    imageView.clipsToBounds = true
    imageView.backgroundColor = .secondarySystemBackground
    contentView.addSubview(imageView)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  func show(_ photo: URL) {
    var options = ImageViewOptions(failure: .shows(.icon("photo.badge.exclamationmark")), transition: .crossFade)
    options.onlyWhileVisible = true
    imageView.hc.setImage(with: photo, options: options)
  }
}
