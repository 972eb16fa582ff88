#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Grids of pictures.
@MainActor
enum GridScenes {
  private final class Bound {
    var indexes: Set<Int> = []
  }

  private static func requests(_ count: Int, _ color: Color, _ name: String) throws -> [ImageRequest] {
    let data = try SolidImage.png(color, width: 100, height: 100)
    return (0..<count).map { ImageRequest(source: .data(data, key: "\(name) \($0)")) }
  }

  /// A grid of 300 images in cells of 100 points, three columns wide, in a viewport of 300 points.
  private static func addGrid(_ stage: Stage) async throws -> PictureGrid {
    let grid = PictureGrid(
      try requests(300, .green, "green"), cellWidth: 100, cellHeight: 100, columns: 3...3,
      pipeline: ViewScenes.pipeline())
    try await stage.add(widget(of: grid), width: 340, height: 300)
    return grid
  }

  private static func widget(of grid: PictureGrid) throws -> UnsafeMutablePointer<GtkWidget> {
    guard let widget = grid.widget else { throw Stage.Failure(description: "the widget of the grid has been freed") }
    return widget
  }

  private static func adjustment(_ grid: PictureGrid) -> UnsafeMutablePointer<GtkAdjustment>? {
    gtk_scrolled_window_get_vadjustment(grid.widget?.opaque)
  }

  static func scrolled(_ stage: Stage) async throws {
    let grid = try await addGrid(stage)
    try await stage.until("the images at the top are shown") {
      (try? stage.screenshot(of: widget(of: grid)).color(x: 0.5, y: 0.2))?.isNear(.green, tolerance: 3) ?? false
    }
    gtk_adjustment_set_value(adjustment(grid), gtk_adjustment_get_upper(adjustment(grid)))
    try await stage.until("the images at the end are shown") {
      (try? stage.screenshot(of: widget(of: grid)).color(x: 0.5, y: 0.8))?.isNear(.green, tolerance: 3) ?? false
    }
    try await stage.until("only cells near the visible area hold an image") { SharedTextures.all.count <= 30 }
  }

  static func columns(_ stage: Stage) async throws {
    for (columns, expected) in [(-3...0, (1, 1)), (2...40, (2, 40)), (1...1_000_000, (1, 32_767))] {
      let grid = PictureGrid([], cellWidth: 100, cellHeight: 100, columns: columns)
      let view = gtk_scrolled_window_get_child(grid.widget?.opaque).map { OpaquePointer($0) }
      let (least, most) = (gtk_grid_view_get_min_columns(view), gtk_grid_view_get_max_columns(view))
      try stage.require(Int(least) == expected.0 && Int(most) == expected.1, "it has \(least) to \(most) columns")
    }
  }

  static func prefetched(_ stage: Stage) async throws {
    let pipeline = ViewScenes.pipeline()
    let other = PictureGrid(
      try requests(300, .green, "green"), cellWidth: 100, cellHeight: 100, columns: 3...3, pipeline: pipeline)
    try await stage.add(widget(of: other), width: 340, height: 300)
    let view = adjustment(other)
    try await stage.until("the grid has its height") { gtk_adjustment_get_upper(view) > 9000 }
    gtk_adjustment_set_value(view, 3300)
    let images = try requests(300, .green, "green").map { request in
      var request = request
      request.size = .fill(width: 100, height: 100)
      return request
    }
    // Cells load images up to half a page ahead; images of the rest of the next page are prefetched at the cells' size.
    try await stage.until("the next page is in memory") {
      let perPoint = 300 / gtk_adjustment_get_upper(view)
      let page = gtk_adjustment_get_page_size(view)
      let position = gtk_adjustment_get_value(view)
      let next = Int((position + 1.1 * page) * perPoint)..<Int((position + 1.8 * page) * perPoint)
      return position > 3000 && next.allSatisfy { pipeline[cached: images[$0]] != nil }
    }
    gtk_adjustment_set_value(view, 8000)
    // A jump may load images of any page in cells that it moves out of sight. Only later loads are looked for.
    for _ in 0..<30 { await stage.nextFrame() }
    try await stage.until("all loads have ended") { pipeline.activeJobCount == 0 }
    pipeline.cache.memory.removeAll()
    var frameCount = 0
    try await stage.until("the page before is in memory", within: 600) {
      let perPoint = 300 / gtk_adjustment_get_upper(view)
      let page = gtk_adjustment_get_page_size(view)
      let position = gtk_adjustment_get_value(view)
      let previous = Int((position - 0.95 * page) * perPoint)..<Int((position - 0.8 * page) * perPoint)
      if previous.allSatisfy({ pipeline[cached: images[$0]] != nil }) { return true }
      frameCount += 1
      if frameCount % 20 == 0 { gtk_adjustment_set_value(view, position - 100) }
      return false
    }
    var own = try requests(1, .red, "own")
    own[0].size = .fit(width: 50, height: 50)
    other.requests = own
    try await stage.until("an image is loaded in a size of its own", within: 300) { pipeline[cached: own[0]] != nil }
  }

  static func replaced(_ stage: Stage) async throws {
    let grid = try await addGrid(stage)
    let bound = Bound()
    grid.onBind = { cell, index in
      bound.indexes.insert(index)
      gtk_widget_set_tooltip_text(cell, "\(index)")
    }
    for count in [2, 300, 0, 5] {
      bound.indexes = []
      grid.requests = try requests(count, .red, "red \(count)")
      if count == 0 { continue }
      try await stage.until("the new images are shown") {
        bound.indexes.contains(0)
          && (try? stage.screenshot(of: widget(of: grid)).color(x: 0.2, y: 0.15))?.isNear(.red, tolerance: 3) ?? false
      }
      try stage.require(bound.indexes.allSatisfy { $0 < count }, "cells \(bound.indexes) of \(count) images were bound")
    }
  }

  /// Another list is shown from its first row; one of which most images stay keeps the position.
  static func otherList(_ stage: Stage) async throws {
    let grid = try await addGrid(stage)
    let all = grid.requests
    for (requests, isAnother) in [
      (Array(all.dropLast(3)), false), (try requests(200, .red, "red"), true),
      ([all[0]] + all.indices.filter { $0 % 7 == 3 }.map { all[$0] }, true),
    ] {
      grid.requests = all
      grid.scroll(to: 250)
      try await stage.until("image 250 is visible") { gtk_adjustment_get_value(adjustment(grid)) > 7000 }
      grid.requests = requests
      try await stage.until("the list is shown") {
        let position = gtk_adjustment_get_value(adjustment(grid))
        return isAnother ? position < 1 : position > 7000
      }
    }
    grid.scroll(to: 100_000)
    grid.scroll(to: -1)
  }

  /// The captions of the guide, which are set after the grid has bound its first cells.
  static func captions(_ stage: Stage) async throws {
    let grid = try await addGrid(stage)
    var shown: [UnsafeMutablePointer<GtkWidget>: Int] = [:]
    grid.onBind = { cell, index in
      let caption = captions(of: cell).first ?? addCaption(to: cell)
      gtk_label_set_text(caption.opaque, "image \(index)")
      shown[cell] = index
    }
    grid.onUnbind = { cell, index in
      if shown.removeValue(forKey: cell) != index { shown[cell] = -1 }
    }
    try stage.require(shown.values.contains(0), "the first cell has no caption")
    gtk_adjustment_set_value(adjustment(grid), 5000)
    try await stage.until("cells further down are bound") { shown.values.contains { $0 > 150 } }
    gtk_adjustment_set_value(adjustment(grid), 0)
    try await stage.until("the first cell is bound again") { shown.values.contains(0) }
    try stage.require(!shown.values.contains(-1), "a cell was unbound from another image")
    for (cell, index) in shown {
      let texts = captions(of: cell).map { String(cString: gtk_label_get_text($0.opaque)) }
      try stage.require(texts == ["image \(index)"], "the captions of image \(index) are \(texts)")
    }
    grid.options.placeholder = .icon("image-loading-symbolic")
    grid.options.alternativeText = "a photo"
    for cell in shown.keys {
      let picture = gtk_widget_get_next_sibling(gtk_widget_get_first_child(cell))
      let text = gtk_picture_get_alternative_text(picture.opaque).map { String(cString: $0) }
      try stage.require(text == "a photo", "a cell that is shown has the text \(text ?? "nothing")")
    }
    grid.onBind = nil
  }

  private static func captions(of cell: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
    var found: [UnsafeMutablePointer<GtkWidget>] = []
    var child = gtk_widget_get_first_child(cell)
    while let widget = child {
      if gtk_widget_get_name(widget).map({ String(cString: $0) }) == "caption" { found.append(widget) }
      child = gtk_widget_get_next_sibling(widget)
    }
    return found
  }

  private static func addCaption(to cell: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget> {
    guard let caption = gtk_label_new("") else { preconditionFailure("GTK cannot create a label") }
    gtk_widget_set_name(caption, "caption")
    gtk_overlay_add_overlay(cell.opaque, caption)
    return caption
  }

  /// Only rows whose images have changed are bound again.
  static func changedRows(_ stage: Stage) async throws {
    let grid = try await addGrid(stage)
    try await stage.until("the first images are shown") { SharedTextures.all.count >= 9 }
    var (bound, shown): ([Int], [UnsafeMutablePointer<GtkWidget>: Int]) = ([], [:])
    grid.onBind = { cell, index in
      bound.append(index)
      shown[cell] = index
    }
    grid.onUnbind = { cell, _ in shown[cell] = nil }
    bound = []
    grid.requests.append(contentsOf: try requests(1, .red, "red"))
    for _ in 0..<3 { await stage.nextFrame() }
    try stage.require(!bound.contains { $0 < 100 }, "an image after the last one binds \(bound)")
    bound = []
    grid.requests[4] = try requests(1, .red, "other")[0]
    for _ in 0..<3 { await stage.nextFrame() }
    try stage.require(bound.contains(4) && !bound.contains(3), "another image at 4 binds \(bound)")
    grid.requests.remove(at: 2)
    for _ in 0..<3 { await stage.nextFrame() }
    try stage.require(
      Set(shown.values).isSuperset(of: 0..<9), "after a removal the cells show \(shown.values.sorted())")
    try stage.require(Set(shown.values).count == shown.count, "two cells have one index")
  }

  static func activated(_ stage: Stage) async throws {
    let grid = try await addGrid(stage)
    var index: Int?
    grid.onActivate = { index = $0 }
    let view = gtk_scrolled_window_get_child(grid.widget?.opaque)
    gtk_widget_activate_action_variant(view, "list.activate-item", g_variant_new_uint32(4))
    try stage.require(index == 4, "the activated index is \(String(describing: index))")
    try stage.require(gtk_grid_view_get_single_click_activate(view.opaque) != 0, "a click chooses no cell")
  }

  static func freed(_ stage: Stage) async throws {
    let finalizations = FinalizationCounter()
    weak var released: PictureGrid?
    var shown: Set<UnsafeMutablePointer<GtkWidget>> = []
    do {
      let grid = try await addGrid(stage)
      grid.onBind = { cell, _ in shown.insert(cell) }
      grid.onUnbind = { cell, _ in shown.remove(cell) }
      try stage.require(!shown.isEmpty, "no cell is bound")
      released = grid
      finalizations.watch(gpointer(try widget(of: grid)))
    }
    try stage.require(released != nil, "the grid was released while its widget is shown")
    try await stage.until("images are shown") { SharedTextures.all.count > 0 }
    if let widget = released?.widget { stage.remove(widget) }
    try await stage.until("the widget is freed") { finalizations.count == 1 }
    try stage.require(shown.isEmpty, "\(shown.count) cells of a destroyed grid are bound")
    try await stage.until("the grid and its textures are freed") { released == nil && SharedTextures.all.count == 0 }
    let kept = try await addGrid(stage)
    stage.remove(try widget(of: kept))
    try stage.require(kept.widget == nil, "the widget of a grid that the program keeps is a freed one")
    kept.requests = []
  }
}
#endif
