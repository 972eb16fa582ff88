import Foundation
import GalleryOrigin
import GalleryViews
import HalcyonGTK
import HalcyonCache

/// Lists the images, and shows them until the window is closed.
@MainActor
struct Gallery {
  private static let imageCount = 500

  let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() async throws {
    if let folder = arguments.folder {
      let items = await Task.detached { FolderListing.items(in: folder) }.value
      try await show(items, cacheDirectory: Self.defaultCacheDirectory)
    } else if !arguments.urls.isEmpty {
      let items = arguments.urls.map {
        Item(title: $0.lastPathComponent, badge: $0.pathExtension.uppercased(), url: $0)
      }
      try await show(items, cacheDirectory: Self.defaultCacheDirectory)
    } else {
      try await showGeneratedImages()
    }
  }

  private static let defaultCacheDirectory = DiskCache.directory(named: "gallery")

  private func showGeneratedImages() async throws {
    // The server's port changes with each run, so cached responses would never be used again.
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await GalleryOrigin.run(imageCount: Self.imageCount) { origin in
      let items = origin.images.map { Item(title: $0.title, badge: $0.badge, url: $0.url) }
      try await show(items, cacheDirectory: folder)
    }
  }

  private func show(_ items: [Item], cacheDirectory: URL) async throws {
    let transport = CountingTransport()
    let cache = ImageCache(in: cacheDirectory)
    let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, cache) }
    let window = GalleryWindow(items, pipeline: pipeline, transport: transport)
    let (closing, close) = AsyncStream.makeStream(of: Void.self)
    window.onClose = { close.finish() }
    window.present()
    let status = Task {
      while !Task.isCancelled {
        window.updateStatus()
        try await Task.sleep(for: .milliseconds(400))
      }
    }
    if let file = arguments.screenshot {
      try await takeScreenshot(of: window, to: file)
    } else {
      if let position = arguments.openedPosition { window.open(position) }
      for await _ in closing {}
    }
    status.cancel()
    await cache.flush()
  }

  private func takeScreenshot(of window: GalleryWindow, to file: String) async throws {
    try await settle(window)
    if let position = arguments.openedPosition {
      window.open(position)
      try await settle(window)
    }
    window.updateStatus()
    try await Task.sleep(for: .milliseconds(500))
    // A window that has just changed is not drawn before its next frame.
    for _ in 0..<100 {
      do {
        return try Screenshot.write(window.window, to: file)
      } catch Screenshot.Failure.notDrawn {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    throw Screenshot.Failure.notDrawn
  }

  /// Waits until the visible images are loaded and their fades have ended.
  private func settle(_ window: GalleryWindow) async throws {
    try await Task.sleep(for: .milliseconds(500))
    while !window.isSettled { try await Task.sleep(for: .milliseconds(50)) }
    try await Task.sleep(for: .milliseconds(500))
  }
}
