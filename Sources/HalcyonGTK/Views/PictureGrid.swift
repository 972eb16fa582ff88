#if canImport(CHalcyonGTK)
public import CHalcyonGTK
public import Halcyon
public import HalcyonViews

/// A scrolled grid, or a list, of images in cells of one size.
///
/// ```swift
/// let grid = PictureGrid(urls.map { ImageRequest(url: $0) }, cellWidth: 240, cellHeight: 160)
/// grid.onActivate = { index in print("clicked", index) }
/// gtk_window_set_child(window.cast(), grid.widget)
/// ```
///
/// Only cells near the visible area hold an image. Those that were scrolled away stay in the memory cache of the pipeline, whose
/// ``MemoryCacheConfiguration/costLimit`` bounds the memory of a long grid: by default a quarter of what is available. The next
/// page in the direction of scrolling is prefetched. The widget keeps the grid alive.
@MainActor
public final class PictureGrid {
  /// The `GtkScrolledWindow` to add to a window; `nil` once that has been destroyed.
  @WeakReference public private(set) var widget: UnsafeMutablePointer<GtkWidget>?

  /// The images, in order. Setting them shows the new ones.
  ///
  /// The position of scrolling stays while at least half of the images of the shorter list keep their places before or
  /// behind those that change; another list is shown from its first row.
  /// A request without a size is loaded at the size of the cells in device pixels, cropped to fill them.
  public var requests: [ImageRequest] {
    didSet { requestsDidChange(from: oldValue) }
  }

  /// How cells show their images. Setting it applies to the cells that show one, too.
  ///
  /// Default: a spinner while an image loads, a cross-fade, and an icon for one that fails. ``ImageViewOptions/onlyWhileVisible``
  /// is always set.
  public var options = ImageViewOptions(
    failure: .shows(.icon("image-missing-symbolic")), indicator: .activity, transition: .crossFade
  ) {
    didSet { for cell in boundCells { show(cell.index, in: cell.item) } }
  }

  /// Called when a cell is clicked, or chosen with the keyboard, with its index. Default: `nil`.
  public var onActivate: (@MainActor (Int) -> Void)?

  /// Called when a cell begins to show an image, with the cell, which is a `GtkOverlay`, and the index; also when the index of
  /// its image changes, and when the closure is set, for the cells that show one.
  ///
  /// Cells are reused: the closure adds a widget, such as a caption, only to a cell that does not have it yet, or
  /// ``onUnbind`` removes it. Default: `nil`.
  public var onBind: (@MainActor (UnsafeMutablePointer<GtkWidget>, Int) -> Void)? {
    didSet { for cell in boundCells { notify(onBind, cell.item, cell.index) } }
  }

  /// Called when a cell stops showing an image, with the cell and the index of ``onBind``. It may be destroyed afterwards.
  /// Default: `nil`.
  public var onUnbind: (@MainActor (UnsafeMutablePointer<GtkWidget>, Int) -> Void)?

  private let cellWidth, cellHeight: Int
  private let pipeline: ImagePipeline
  private let prefetcher: ImagePrefetcher
  private let model: ObjectReference
  /// The indices of the images that list items show.
  private var indices: [OpaquePointer: Int] = [:]
  private var ahead: Range<Int>?
  private var scrollPosition = 0.0

  /// Creates a grid.
  ///
  /// - Parameters:
  ///   - requests: The images.
  ///   - cellWidth: The width of a cell in points, from 1 to 32,767; other numbers are clamped.
  ///   - cellHeight: The height of a cell in points, clamped likewise.
  ///   - columns: The least and the most columns, clamped likewise; `1...1` is a list. Default: as many as fit.
  ///   - pipeline: The pipeline that loads the images. Default: ``ImagePipeline/shared``.
  /// - Precondition: GTK is initialised.
  public init(
    _ requests: [ImageRequest], cellWidth: Int, cellHeight: Int, columns: ClosedRange<Int> = 1...32,
    pipeline: ImagePipeline = .shared
  ) {
    let (cellWidth, cellHeight, columns) = (
      Self.clamped(cellWidth), Self.clamped(cellHeight),
      Self.clamped(columns.lowerBound)...Self.clamped(columns.upperBound)
    )
    guard let widget = gtk_scrolled_window_new(), let model = gtk_string_list_new(nil) else {
      preconditionFailure("GTK cannot create widgets. Call gtk_init first.")
    }
    (self.widget, self.requests, self.pipeline) = (widget, requests, pipeline)
    (self.cellWidth, self.cellHeight) = (cellWidth, cellHeight)
    self.model = ObjectReference(adopting: model)
    prefetcher = ImagePrefetcher(pipeline: pipeline, concurrencyLimit: 4)
    gtk_widget_set_hexpand(widget, 1)
    gtk_widget_set_vexpand(widget, 1)
    gtk_scrolled_window_set_child(widget.opaque, makeGrid(columns))
    splice(at: 0, removing: 0, adding: requests.count)
    gtk_scrolled_window_get_vadjustment(widget.opaque).connect("value-changed") { [weak self] in self?.prefetch() }
    // The handler, and with it the grid, lives until the widget is destroyed.
    widget.connect("destroy") {
      self.prefetcher.stop()
      for cell in self.boundCells { self.unbind(cell.item) }
    }
  }

  /// Scrolls until an image is visible. Nothing happens for an index without an image.
  public func scroll(to index: Int) {
    guard requests.indices.contains(index), let grid = gtk_scrolled_window_get_child(widget?.opaque) else { return }
    // The function for it is newer than GTK 4.8.
    let position = g_variant_ref_sink(g_variant_new_uint32(guint32(index)))
    gtk_widget_activate_action_variant(grid, "list.scroll-to-item", position)
    g_variant_unref(position)
  }

  private static func clamped(_ number: Int) -> Int { min(max(number, 1), Int(Int16.max)) }

  private func makeGrid(_ columns: ClosedRange<Int>) -> UnsafeMutablePointer<GtkWidget>? {
    guard let factory = gtk_signal_list_item_factory_new() else { return nil }
    factory.connect("setup") { [weak self] (item: OpaquePointer) in gtk_list_item_set_child(item, self?.makeCell()) }
    factory.connect("bind") { [weak self] (item: OpaquePointer) in self?.bind(item) }
    factory.connect("unbind") { [weak self] (item: OpaquePointer) in
      Self.picture(item)?.hc.cancel()
      self?.unbind(item)
    }
    let selection = gtk_no_selection_new(OpaquePointer(g_object_ref(gpointer(model.pointer))))
    guard let grid = gtk_grid_view_new(selection, factory) else { return nil }
    gtk_grid_view_set_min_columns(grid.opaque, guint(columns.lowerBound))
    gtk_grid_view_set_max_columns(grid.opaque, guint(columns.upperBound))
    gtk_grid_view_set_single_click_activate(grid.opaque, 1)
    grid.connect("activate") { [weak self] (index: Int) in self?.onActivate?(index) }
    return grid
  }

  /// A cell of a fixed size: the box gives it, and the picture lies over it, where it takes no part in the layout.
  private func makeCell() -> UnsafeMutablePointer<GtkWidget>? {
    guard let cell = gtk_overlay_new(), let frame = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
      let picture = gtk_picture_new()
    else { return nil }
    gtk_widget_set_size_request(frame, gint(cellWidth), gint(cellHeight))
    gtk_widget_set_halign(cell, GTK_ALIGN_CENTER)
    gtk_widget_set_overflow(cell, GTK_OVERFLOW_HIDDEN)
    gtk_overlay_set_child(cell.opaque, frame)
    gtk_picture_set_content_fit(picture.opaque, GTK_CONTENT_FIT_COVER)
    gtk_overlay_add_overlay(cell.opaque, picture)
    return cell
  }

  private func bind(_ item: OpaquePointer) {
    let index = Int(gtk_list_item_get_position(item))
    guard requests.indices.contains(index) else { return }
    show(index, in: item)
    indices[item] = index
    notify(onBind, item, index)
  }

  private func unbind(_ item: OpaquePointer) {
    if let index = indices.removeValue(forKey: item) { notify(onUnbind, item, index) }
  }

  private func show(_ index: Int, in item: OpaquePointer) {
    var options = options
    options.onlyWhileVisible = true
    Self.picture(item)?.hc.setImage(with: request(index), options: options, pipeline: pipeline)
  }

  private func notify(
    _ closure: (@MainActor (UnsafeMutablePointer<GtkWidget>, Int) -> Void)?, _ item: OpaquePointer, _ index: Int
  ) {
    if let cell = gtk_list_item_get_child(item) { closure?(cell, index) }
  }

  /// The list items that show an image, in the order of the images.
  private var boundCells: [(item: OpaquePointer, index: Int)] {
    indices.map { (item: $0.key, index: $0.value) }.sorted { $0.index < $1.index }
  }

  /// The picture of a cell: the widget after the one that gives the size.
  private static func picture(_ item: OpaquePointer) -> UnsafeMutablePointer<GtkWidget>? {
    gtk_widget_get_next_sibling(gtk_widget_get_first_child(gtk_list_item_get_child(item)))
  }

  /// The request of a cell, with the same size whether it is prefetched or shown.
  private func request(_ index: Int) -> ImageRequest {
    var request = requests[index]
    let scale = widget.map { Int(gtk_widget_get_scale_factor($0)) } ?? 1
    if request.size == nil { request.size = .fill(width: cellWidth * scale, height: cellHeight * scale) }
    return request
  }

  /// Changes the rows of the model between the first and the last request that have changed, whose cells are bound again.
  private func requestsDidChange(from old: [ImageRequest]) {
    let common = min(old.count, requests.count)
    var (start, end) = (0, 0)
    while start < common, old[start].isIdentical(to: requests[start]) { start += 1 }
    while end < common - start, old[old.count - 1 - end].isIdentical(to: requests[requests.count - 1 - end]) {
      end += 1
    }
    splice(at: start, removing: old.count - start - end, adding: requests.count - start - end)
    for (item, index) in boundCells {
      let position = Int(gtk_list_item_get_position(item))
      guard position != index, requests.indices.contains(position) else { continue }
      notify(onUnbind, item, index)
      indices[item] = position
      notify(onBind, item, position)
    }
    if 2 * (start + end) < common { scroll(to: 0) }
  }

  private func splice(at position: Int, removing removed: Int, adding added: Int) {
    prefetcher.stop()
    ahead = nil
    // The model needs texts, which nothing reads.
    withUnsafePointer(to: CChar(0)) { text in
      let texts = [UnsafePointer<CChar>?](repeating: text, count: added) + [nil]
      gtk_string_list_splice(model.pointer, guint(position), guint(removed), texts)
    }
  }

  /// Prefetches the next page in the direction of scrolling.
  private func prefetch() {
    guard let widget else { return }
    let adjustment = gtk_scrolled_window_get_vadjustment(widget.opaque)
    let (position, page) = (gtk_adjustment_get_value(adjustment), gtk_adjustment_get_page_size(adjustment))
    let height = gtk_adjustment_get_upper(adjustment)
    guard height > 0, page > 0 else { return }
    let start = position >= scrollPosition ? position + page : position - page
    scrollPosition = position
    let perPoint = Double(requests.count) / height
    let count = Int((page * perPoint).rounded(.up))
    let first = Int(start * perPoint)
    let range = (first..<first + count).clamped(to: requests.indices)
    // Not repeated for each point that is scrolled.
    if let ahead, abs(range.lowerBound - ahead.lowerBound) < max(1, count / 4) { return }
    ahead = range
    prefetcher.stop()
    prefetcher.start(range.map { request($0) })
  }
}
#endif
