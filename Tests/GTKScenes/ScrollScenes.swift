#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Views in a scrolled window.
@MainActor
enum ScrollScenes {
  /// Ten views of 200 points below or beside each other in a viewport of 400 points.
  private static func addList(
    _ stage: Stage, _ orientation: GtkOrientation = GTK_ORIENTATION_VERTICAL
  ) async throws -> (window: UnsafeMutablePointer<GtkWidget>, views: [UnsafeMutablePointer<GtkWidget>]) {
    guard let window = gtk_scrolled_window_new(), let box = gtk_box_new(orientation, 0) else {
      throw Stage.Failure(description: "GTK cannot create a scrolled window")
    }
    let views = (0..<10).compactMap { _ in gtk_picture_new() }
    for view in views {
      gtk_widget_set_size_request(view, 200, 200)
      gtk_box_append(OpaquePointer(box).as(GtkBox.self), view)
    }
    gtk_scrolled_window_set_child(OpaquePointer(window), box)
    let isRow = orientation == GTK_ORIENTATION_HORIZONTAL
    try await stage.add(window, width: isRow ? 400 : 200, height: isRow ? 200 : 400)
    return (window, views)
  }

  private static func scroll(_ window: UnsafeMutablePointer<GtkWidget>, to value: Double) {
    gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(window)), value)
  }

  static func viewport(_ stage: Stage) async throws {
    let (window, views) = try await addList(stage)
    for view in views { view.hc.setImage(with: nil as URL?, pipeline: ViewScenes.pipeline()) }
    func visible() -> [Int] { views.indices.filter { views[$0].hc.binder.isVisible } }
    // Half a page outside of the viewport counts as visible.
    try await stage.until("the first views are visible", within: 300) { visible() == [0, 1, 2] }
    scroll(window, to: 1000)
    try await stage.until("the views in the middle are visible", within: 300) { visible() == [4, 5, 6, 7] }
    gtk_widget_set_visible(window, 0)
    try stage.require(visible().isEmpty, "views \(visible()) of a hidden list are reported as visible")
    gtk_widget_set_visible(window, 1)
    try await stage.until("they are visible again", within: 300) { visible() == [4, 5, 6, 7] }
    scroll(window, to: 0)
    try await stage.until("the first views are visible again", within: 300) { visible() == [0, 1, 2] }
    gtk_scrolled_window_set_vadjustment(OpaquePointer(window), gtk_adjustment_new(0, 0, 0, 0, 0, 0))
    try await stage.until("the new adjustment is in use") {
      gtk_adjustment_get_upper(gtk_scrolled_window_get_vadjustment(OpaquePointer(window))) == 2000
    }
    scroll(window, to: 1000)
    try await stage.until("the new adjustment is observed", within: 300) { visible() == [4, 5, 6, 7] }
    let (row, columns) = try await addList(stage, GTK_ORIENTATION_HORIZONTAL)
    for view in columns { view.hc.setImage(with: nil as URL?, pipeline: ViewScenes.pipeline()) }
    for (position, expected) in [(0, [0, 1, 2]), (1000, [4, 5, 6, 7])] as [(Double, [Int])] {
      gtk_adjustment_set_value(gtk_scrolled_window_get_hadjustment(OpaquePointer(row)), position)
      try await stage.until("the views \(expected) of a row are visible", within: 300) {
        columns.indices.filter { columns[$0].hc.binder.isVisible } == expected
      }
    }
  }

  static func onlyWhileVisible(_ stage: Stage) async throws {
    let (window, views) = try await addList(stage)
    let pipeline = ViewScenes.pipeline()
    var options = ImageViewOptions()
    options.onlyWhileVisible = true
    let outcomes = views.map { _ in Outcome() }
    for (index, view) in views.enumerated() {
      let color = index == 0 ? Color.red : .green
      let request = ImageRequest(source: .data(try SolidImage.png(color, width: 200, height: 200), key: "\(index)"))
      view.hc.setImage(with: request, options: options, pipeline: pipeline, completion: outcomes[index].take)
    }
    func loaded() -> [Int] { views.indices.filter { views[$0].hc.binder.content.image != nil } }
    try await stage.until("the visible views are loaded", within: 600) { loaded() == [0, 1, 2] }
    try await stage.require(views[0], is: .red)
    try stage.require(outcomes[3...].allSatisfy { $0.count == 0 }, "a view outside of the viewport has completed")
    scroll(window, to: 1600)
    try await stage.until("the last views are loaded", within: 600) { loaded() == [7, 8, 9] }
    try await stage.require(views[9], is: .green)
    try await stage.until("textures are freed with the images") { SharedTextures.all.count <= 3 }
    scroll(window, to: 0)
    try await stage.until("the first views are loaded again", within: 600) { loaded() == [0, 1, 2] }
    try await stage.require(views[0], is: .red)
    try stage.require(outcomes[0].count == 1, "there were \(outcomes[0].count) completions")
  }

  static func destroyed(_ stage: Stage) async throws {
    let (window, views) = try await addList(stage)
    let binders = views.map { view in
      view.hc.setImage(with: nil as URL?, pipeline: ViewScenes.pipeline())
      return WeakBinder(binder: view.hc.binder)
    }
    await stage.nextFrame()
    stage.remove(window)
    try await stage.until("all binders are freed") { binders.allSatisfy { $0.binder == nil } }
  }

  private struct WeakBinder { weak var binder: ImageViewBinder? }
}
#endif
