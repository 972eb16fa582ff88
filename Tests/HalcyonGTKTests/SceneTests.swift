#if GTK
import HalcyonTestTraits
import Testing

/// Tests of widgets, under X11 and Wayland (``VirtualDisplay``). Each runs a scene of `Tests/GTKScenes` by name.
@Suite(.integrationTest, .slow) struct SceneTests {
  /// A scene, and what it shows.
  struct Rule: Sendable, CustomTestStringConvertible {
    let scene: String
    let testDescription: String
    let scale: Int
    let accessibility: String
    /// A compositor does not tell a window that it is minimised.
    let underWayland: Bool

    init(
      _ scene: String, _ rule: String, scale: Int = 1, accessibility: String = "none", underWayland: Bool = true
    ) {
      (self.scene, testDescription, self.scale) = (scene, rule, scale)
      (self.accessibility, self.underWayland) = (accessibility, underWayland)
    }
  }

  private static let rules = [
    Rule("loop-runs-tasks", "the main actor runs inside GLib's main loop"),
    Rule("loop-sleeps", "the main actor runs inside GLib's main loop"),
    Rule("loop-does-not-starve-sources", "the main actor runs inside GLib's main loop"),
    Rule("loop-does-not-starve-tasks", "the main actor runs inside GLib's main loop"),
    Rule("signal-arguments", "closures get the arguments of signals"),
    Rule("signal-results", "the result of a closure decides what GTK does"),
    Rule("signal-released", "closures of destroyed widgets and disconnected handlers are released"),
    Rule("weak-references", "a weak reference to a widget is nil once the widget is freed"),
    Rule("grid-scrolled", "a grid shows the images that it is scrolled to, and holds no others"),
    Rule("grid-columns", "the columns of a grid are clamped to those of GTK", underWayland: false),
    Rule("grid-prefetched", "a grid prefetches the next page at the size of its cells"),
    Rule("grid-replaced", "a grid shows other images when they are set"),
    Rule("grid-other-list", "a grid shows another list from its first row, and scrolls to an image"),
    Rule("grid-activated", "a grid tells which cell was chosen"),
    Rule("grid-freed", "a grid lives as long as its widget, and no longer"),
    Rule("shutdown-writes-accesses", "pending accesses are written when an application shuts down"),
    Rule("shutdown-once", "a cache that follows an application twice is notified once"),
    Rule("shutdown-of-view-caches", "the caches of views follow the default application"),
    Rule("texture-shares-pixels", "textures share the pixels of images"),
    Rule("texture-frees-pixels", "textures share the pixels of images"),
    Rule("texture-is-shared", "textures share the pixels of images"),
    Rule("texture-colors", "a texture has the colours and the alpha of its bitmap, for each renderer"),
    Rule("view-placeholder", "a view shows its placeholder, then its image"),
    Rule("view-image", "an image is centred in its view"),
    Rule("view-failure", "the failure content replaces the placeholder when a load fails"),
    Rule("view-cross-fade", "a cross-fade follows the frame clock"),
    Rule("view-size", "an image is decoded at the size of its view"),
    Rule("view-growth", "an image is loaded again when its view grows"),
    Rule("view-content-fit", "an image is decoded for the content fit that its picture has last"),
    Rule("view-spinner", "a loading view shows a spinner"),
    Rule("view-spinner-for-icon", "a spinner takes the place of an icon"),
    Rule("view-progress", "a loading view shows a progress ring"),
    Rule("view-icon", "a placeholder can be a themed icon"),
    Rule("view-icon-sides", "an icon is as large as its widget, from 16 to 64 points"),
    Rule("view-hidden-fade", "a cross-fade ends when its view is hidden, and begins in none that is"),
    Rule("view-gtk-image", "a GtkImage shows images at its pixel size"),
    Rule("view-widgets", "placeholders and indicators can be widgets"),
    Rule("view-own-pipeline", "a PictureView loads its images by its own pipeline, unless a call names another one"),
    Rule("view-file-placeholder", "a placeholder can be an image file"),
    Rule("view-destroyed", "destroying a widget cancels its load"),
    Rule("view-freed", "a destroyed widget frees its paintable, binder and texture"),
    Rule("view-leaks", "of a thousand views that are destroyed while they load, fade, fail and play, nothing remains"),
    Rule("view-completed-before-end", "completions of a view that is destroyed run while it is alive"),
    Rule("view-disposed", "a widget that is destroyed while its activity indicator runs is given no paintable again"),
    Rule("view-hidden", "a hidden view is reported as not visible"),
    Rule("scroll-viewport", "a view in a scrolled window is visible in and near the viewport"),
    Rule("scroll-only-while-visible", "views with onlyWhileVisible hold images only in and near the viewport"),
    Rule("scroll-destroyed", "a destroyed scrolled window frees the binders of its views"),
    Rule("view-appended", "a widget that is set to an image in the turn in which it is appended shows the image"),
    Rule("view-removed-by-transition", "a custom transition can remove its widget"),
    Rule("view-program-content", "an image that the program has set itself is cleared or kept like an earlier image"),
    Rule("view-scale-factor", "the scale factor of a request determines the natural size of its image"),
    Rule("view-transition-end", "a completion can wait for the end of a cross-fade"),
    Rule("view-fixed-size", "a picture over a child with a size request keeps its size"),
    Rule(
      "view-natural-size",
      "a picture without a place of its own has the size that GTK gives it for the file, in each container"),
    Rule("guide", "each place that the guides name shows its image, at the size of the image where it has none"),
    Rule("view-fade-from-nothing", "a cross-fade from nothing can be interrupted before its first frame"),
    Rule("view-custom-transition", "a custom transition shows the image, and its end calls the completion"),
    Rule("grid-captions", "captions are added to the cells that a grid has bound, once to each"),
    Rule("grid-changed-rows", "a grid binds only rows that have changed"),
    Rule("signal-result-types", "pointers and flags that closures return reach GTK"),
    Rule("accessibility-focus", "the focus for a retry goes once it has left an image that is loaded"),
    Rule("animation-preloaded", "preloaded frames are those that views play"),
    Rule("view-click", "a click on a view retries a failed load"),
    Rule("view-double-scale", "an image is decoded at device pixels at a scale factor of 2", scale: 2),
    Rule("view-reuse", "views reused 10000 times never show a wrong image"),
    Rule("view-rebinding", "10000 images set on widgets that are hidden, removed and destroyed complete once each"),
    Rule("animation-timing", "frames of an animation are shown for exactly their durations"),
    Rule("animation-hidden", "a hidden animation is paused and holds no decoded frames"),
    Rule("theme-icon-color", "a symbolic icon has the colour of its widget and the direction of its text"),
    Rule("theme-icon-direction", "a symbolic icon has the colour of its widget and the direction of its text"),
    Rule("theme-progress-colors", "a progress ring has the colours of the theme"),
    Rule("theme-reduced-motion", "without animations in the settings, nothing moves until it is played"),
    Rule("view-interrupted-fade", "a cross-fade begins with what an interrupted one has reached"),
    Rule("window-minimized", "animations are paused while their window is minimised", underWayland: false),
    Rule("accessibility-retry", "a failed image can have the focus, and is retried by keys"),
    Rule("paintable-loads", "a paintable loads its image in any widget, in the colours of that"),
    Rule("paintable-options", "a paintable has the scale and the mode that it was made with, and an indicator"),
    Rule("view-zoom", "a photograph that is zoomed out again leaves memory"),
    Rule("zoomable-tiles", "a zoomed photograph is sharp and has no seams, wherever it is shown"),
    Rule("zoomable-tiles", "a zoomed photograph has no seams at two device pixels for a point", scale: 2),
    Rule("zoomable-pixels", "a photograph in its own size is drawn pixel by pixel"),
    Rule("zoomable-gestures", "keys, clicks, drags, swipes, wheel and pinch zoom and move a photograph"),
    Rule(
      "zoomable-changes", "a zoomed view keeps to its range, its place and its image, and loads nothing while hidden"),
    Rule(
      "zoomable-versions", "a newer version of a zoomed photograph stays in its place, and its tiles are loaded once"),
    Rule("zoomable-translucent", "a zoomed image that is translucent is drawn once, without edges of tiles"),
    Rule("zoomable-freed", "a zoomable view lives as long as its widget, and frees its tiles"),
    Rule(
      "zoomable-accessibility", "a screen reader is told the text and the zoom of a zoomable view",
      accessibility: "test"),
    Rule("picture-of-ui-file", "a picture of a UI file loads its URL"),
    Rule("paintable-freed", "a paintable that nothing references cancels its load"),
    Rule(
      "accessibility-states",
      "a screen reader is told the alternative text of an image, and whether it is busy or has failed",
      accessibility: "test"),
  ]

  @Test(arguments: rules.filter { $0.underWayland || !VirtualDisplay.isWayland })
  func `a widget does what its scene shows`(rule: Rule) async throws {
    try await Scene.play(rule.scene, scale: rule.scale, accessibility: rule.accessibility)
  }
}
#endif
