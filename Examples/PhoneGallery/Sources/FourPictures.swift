import Halcyon
import HalcyonApple
import SwiftUI

/// A frame and four pictures, loaded in parallel, that appear together when all of them are there.
struct FourPictures: View {
  private let urls: [URL]
  private let options: ImageViewOptions

  init(frame: URL, pictures: [URL]) {
    urls = [frame] + pictures
    var options = ImageViewOptions(transition: .crossFade)
    options.transitionGroup = TransitionGroup(count: urls.count)
    self.options = options
  }

  var body: some View {
    VStack {
      ForEach(urls, id: \.self) { url in
        HalcyonImage(url: url, mode: .fill, options: options).frame(width: 160, height: 120)
      }
    }
  }
}

/// A picture whose content is built from the phase of its load.
struct Picture: View {
  let url: URL

  var body: some View {
    HalcyonImage(url: url) { phase in
      switch phase {
      case .success, .preview: phase.swiftUIImage?.resizable()
      case .failure: Image(systemName: "arrow.clockwise")
      case .loading: ProgressView(value: phase.progress?.fraction)
      default: Color.clear
      }
    }
    .retriesOnTap()
    .fade()
  }
}
