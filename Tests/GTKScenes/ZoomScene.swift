#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// A photograph that is zoomed in and out again.
@MainActor
enum ZoomScene {
  static func play(_ stage: Stage) async throws {
    guard let scrolled = gtk_scrolled_window_new(), let picture = gtk_picture_new() else { return }
    gtk_scrolled_window_set_child(OpaquePointer(scrolled), picture)
    try await stage.add(scrolled, width: 400, height: 300)
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "photo.png")
      try SolidImage.png(.green, width: 6000, height: 4000).write(to: file)
      let outcome = Outcome()
      picture.hc.setImage(with: file, pipeline: ViewScenes.pipeline(), completion: outcome.take)
      try await stage.until("it is loaded") { outcome.count == 1 }
      let before = residentBytes()
      gtk_widget_set_size_request(picture, 6000, 4000)
      try await stage.until("it is zoomed in") { picture.hc.binder.content.image?.size.width == 6000 }
      await stage.nextFrame()
      let zoomed = residentBytes()
      gtk_widget_set_size_request(picture, 1, 1)
      try await stage.until("it has a smaller image") {
        picture.hc.binder.content.image.map { $0.size.width < 1000 } == true
      }
      for _ in 0..<10 { await stage.nextFrame() }
      let after = residentBytes()
      print("resident bytes: \(before), zoomed in \(zoomed), zoomed out \(after)")
      try stage.require(zoomed - before > 60 << 20, "zoomed in it had only \((zoomed - before) >> 20) MB more")
      try stage.require(after - before < 40 << 20, "zoomed out it has \((after - before) >> 20) MB more")
      try stage.require(outcome.count == 1, "there were \(outcome.count) completions")
    }
  }

  private static func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
  }
}
#endif
