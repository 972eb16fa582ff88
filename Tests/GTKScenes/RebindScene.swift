#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Widgets that are set to other images all the time, some of them hidden, without a parent, or destroyed meanwhile.
@MainActor
enum RebindScene {
  private static let (stepCount, widgetCount, imageCount) = (10_000, 24, 40)

  static func play(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let urls = try (0..<imageCount).map { number in
        let reply = Reply.body(try SolidImage.png(Color(red: number, green: 0, blue: 0), width: 20, height: 20))
        return server.serve("/\(number).png") { _ in
          usleep(UInt32.random(in: 0..<4000))
          return number % 10 == 9 ? .status(404) : reply
        }
      }
      try await rebind(stage, urls)
    }
  }

  private static func rebind(_ stage: Stage, _ urls: [URL]) async throws {
    let pipeline = ViewScenes.pipeline()
    // The window is shown, so that frames are painted.
    _ = try await stage.addPicture(width: 20, height: 20)
    var widgets = try (0..<widgetCount).map { _ in try RecycledWidget() }
    var completions = [Int](repeating: 0, count: stepCount)
    for step in 0..<stepCount {
      let index = Int.random(in: 0..<widgets.count)
      if Int.random(in: 0..<20) == 0 {
        widgets[index].remove(from: stage)
        widgets[index] = try RecycledWidget()
      }
      let widget = widgets[index]
      if Int.random(in: 0..<4) == 0 { widget.isVisible.toggle() }
      if Int.random(in: 0..<4) == 0 { widget.toggleParent(stage) }
      var request = ImageRequest(url: urls[Int.random(in: 0..<urls.count)])
      request.memoryAccess = Bool.random() ? .readWrite : .writeOnly
      widget.pointer.hc.setImage(with: request, options: randomOptions(), pipeline: pipeline) { _ in
        completions[step] += 1
      }
      if Int.random(in: 0..<50) == 0 { widget.pointer.hc.cancel() }
      if step % 7 == 0 { await Task.yield() }
      if step % 50 == 0 { await stage.nextFrame() }
    }
    // The loads of hidden widgets begin when these are shown.
    for widget in widgets { widget.show(on: stage) }
    for _ in 0..<1000 where completions.contains(0) { await stage.nextFrame() }
    let wrong = completions.indices.filter { completions[$0] != 1 }
    try stage.require(
      wrong.isEmpty,
      "\(wrong.count) of \(stepCount) completions were not called once: \(wrong.prefix(9).map { ($0, completions[$0]) })"
    )
  }

  private static func randomOptions() -> ImageViewOptions {
    var options = ImageViewOptions()
    options.onlyWhileVisible = Int.random(in: 0..<4) == 0
    options.finishesSuperseded = Int.random(in: 0..<8) == 0
    options.indicator = Bool.random() ? .activity : .hidden
    options.transition = Bool.random() ? .crossFade(.milliseconds(30)) : .immediate
    options.keepsCurrentImage = Bool.random()
    return options
  }
}

/// A `GtkPicture` or a `GtkImage`, which the program holds also while it has no parent.
@MainActor
private final class RecycledWidget {
  let pointer: UnsafeMutablePointer<GtkWidget>
  private var hasParent = false

  init() throws {
    guard let pointer = Bool.random() ? gtk_picture_new() : gtk_image_new() else {
      throw Stage.Failure(description: "GTK cannot create a widget")
    }
    g_object_ref_sink(gpointer(pointer))
    self.pointer = pointer
  }

  var isVisible = true {
    didSet { gtk_widget_set_visible(pointer, isVisible ? 1 : 0) }
  }

  func toggleParent(_ stage: Stage) {
    if hasParent { stage.remove(pointer) } else { stage.append(pointer, width: 20, height: 20) }
    hasParent.toggle()
  }

  func show(on stage: Stage) {
    isVisible = true
    if !hasParent { toggleParent(stage) }
  }

  /// Removes the widget from the stage and destroys it.
  func remove(from stage: Stage) {
    if hasParent { stage.remove(pointer) }
    g_object_unref(gpointer(pointer))
  }
}
#endif
