import Foundation
import Halcyon
import HalcyonGTK

/// A grid of images, which reuses cells, cancels loads of cells scrolled away and prefetches what comes next.
@MainActor
final class GridPage {
  let widget: Widget
  let adjustment: UnsafeMutablePointer<GtkAdjustment>
  var onOpen: (@MainActor (Int) -> Void)?
  var onShow: (@MainActor (Result<ImageResponse, ImageViewError>) -> Void)?

  private let items: [Item]
  private let pipeline: ImagePipeline
  private let prefetcher: ImagePrefetcher
  private var cells: [OpaquePointer: Cell] = [:]
  private var lastValue = 0.0
  private var lastAhead: Range<Int>?

  init(_ items: [Item], pipeline: ImagePipeline) {
    self.items = items
    self.pipeline = pipeline
    prefetcher = ImagePrefetcher(pipeline: pipeline, concurrencyLimit: 4)
    widget = made(gtk_scrolled_window_new())
    gtk_widget_set_vexpand(widget, 1)
    adjustment = gtk_scrolled_window_get_vadjustment(widget.opaque)
    gtk_scrolled_window_set_child(widget.opaque, makeGrid())
    adjustment.connect("value-changed") { [weak self] in self?.prefetch() }
  }

  /// Whether all images in the viewport have been loaded.
  var isSettled: Bool {
    let visible = cells.values.filter { $0.isVisible(in: widget) }
    return !visible.isEmpty && visible.allSatisfy { !$0.picture.hc.isLoading }
  }

  /// The size of images in device pixels, or `nil` before there are cells.
  var targetSize: TargetSize? { cells.values.first?.targetSize }

  /// Moves the keyboard focus to the cell at a position, if there is one.
  func focus(_ position: Int) {
    let item = cells.first { Int(gtk_list_item_get_position($0.key)) == position }
    // The grid has put the cell into a widget of its own, which takes the focus.
    if let item, let widget = gtk_widget_get_parent(item.value.widget) { gtk_widget_grab_focus(widget) }
  }

  /// Sets the images of all cells again.
  func reload() {
    for (listItem, cell) in cells { bind(listItem, cell) }
  }

  private func makeGrid() -> Widget {
    let factory = gtk_signal_list_item_factory_new()
    if let factory {
      factory.connect("setup") { [weak self] (listItem: OpaquePointer) in self?.setUp(listItem) }
      factory.connect("bind") { [weak self] (listItem: OpaquePointer) in
        if let cell = self?.cells[listItem] { self?.bind(listItem, cell) }
      }
      factory.connect("unbind") { [weak self] (listItem: OpaquePointer) in self?.cells[listItem]?.cancel() }
      factory.connect("teardown") { [weak self] (listItem: OpaquePointer) in self?.cells[listItem] = nil }
    }
    let model = gtk_string_list_new(nil)
    for item in items { gtk_string_list_append(model, item.url.absoluteString) }
    let grid = made(gtk_grid_view_new(gtk_no_selection_new(model), factory))
    gtk_grid_view_set_min_columns(grid.opaque, 1)
    gtk_grid_view_set_max_columns(grid.opaque, 12)
    gtk_grid_view_set_single_click_activate(grid.opaque, 1)
    grid.connect("activate") { [weak self] (position: Int) in self?.onOpen?(position) }
    return grid
  }

  private func setUp(_ listItem: OpaquePointer) {
    let cell = Cell()
    cells[listItem] = cell
    gtk_list_item_set_child(listItem, cell.widget)
  }

  private func bind(_ listItem: OpaquePointer, _ cell: Cell) {
    let position = Int(gtk_list_item_get_position(listItem))
    guard items.indices.contains(position) else { return }
    cell.show(items[position], pipeline: pipeline) { [weak self] in self?.onShow?($0) }
  }

  /// Prefetches one and a half pages ahead in the direction of scrolling.
  private func prefetch() {
    let (value, page, upper) = (
      gtk_adjustment_get_value(adjustment), gtk_adjustment_get_page_size(adjustment),
      gtk_adjustment_get_upper(adjustment)
    )
    guard upper > 0, let size = targetSize else { return }
    let isDownward = value >= lastValue
    lastValue = value
    let edge = isDownward ? value + page : value - page * 1.5
    let begin = Int(edge / upper * Double(items.count))
    let count = Int(page * 1.5 / upper * Double(items.count))
    let ahead = (begin..<begin + count).clamped(to: items.indices)
    guard ahead != lastAhead, abs(ahead.lowerBound - (lastAhead?.lowerBound ?? -100)) >= 4 else { return }
    lastAhead = ahead
    prefetcher.stop()
    prefetcher.start(ahead.map { ImageRequest(url: items[$0].url, size: size) })
  }
}
