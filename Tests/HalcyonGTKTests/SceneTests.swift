#if GTK
import HalcyonTestTraits
import Testing

/// Tests of widgets, under X11 and Wayland (``VirtualDisplay``). Each runs scenes of `Tests/GTKScenes` by name.
@Suite(.integrationTest, .slow) struct SceneTests {
  @Test(arguments: [
    "loop-runs-tasks", "loop-sleeps", "loop-does-not-starve-sources", "loop-does-not-starve-tasks",
  ])
  func `the main actor runs inside GLib's main loop`(scene: String) async throws {
    try await Scene.play(scene)
  }

  @Test func `closures get the arguments of signals`() async throws {
    try await Scene.play("signal-arguments")
  }

  @Test func `the result of a closure decides what GTK does`() async throws {
    try await Scene.play("signal-results")
  }

  @Test func `closures of destroyed widgets and disconnected handlers are released`() async throws {
    try await Scene.play("signal-released")
  }

  @Test func `a weak reference to a widget is nil once the widget is freed`() async throws {
    try await Scene.play("weak-references")
  }

  @Test func `a grid shows the images that it is scrolled to, and holds no others`() async throws {
    try await Scene.play("grid-scrolled")
  }

  @Test func `a grid prefetches the next page at the size of its cells`() async throws {
    try await Scene.play("grid-prefetched")
  }

  @Test func `a grid shows other images when they are set`() async throws {
    try await Scene.play("grid-replaced")
  }

  @Test func `a grid tells which cell was chosen`() async throws {
    try await Scene.play("grid-activated")
  }

  @Test func `a grid lives as long as its widget, and no longer`() async throws {
    try await Scene.play("grid-freed")
  }

  @Test func `pending accesses are written when an application shuts down`() async throws {
    try await Scene.play("shutdown-writes-accesses")
  }

  @Test func `a cache that follows an application twice is notified once`() async throws {
    try await Scene.play("shutdown-once")
  }

  @Test func `the caches of views follow the default application`() async throws {
    try await Scene.play("shutdown-of-view-caches")
  }

  @Test(arguments: ["texture-shares-pixels", "texture-frees-pixels", "texture-is-shared"])
  func `textures share the pixels of images`(scene: String) async throws {
    try await Scene.play(scene)
  }

  @Test func `a texture has the colours and the alpha of its bitmap, for each renderer`() async throws {
    try await Scene.play("texture-colors")
  }

  @Test func `a view shows its placeholder, then its image`() async throws {
    try await Scene.play("view-placeholder")
  }

  @Test func `an image is centred in its view`() async throws {
    try await Scene.play("view-image")
  }

  @Test func `the failure content replaces the placeholder when a load fails`() async throws {
    try await Scene.play("view-failure")
  }

  @Test func `a cross-fade follows the frame clock`() async throws {
    try await Scene.play("view-cross-fade")
  }

  @Test func `an image from the memory cache is shown at once, without a fade`() async throws {
    try await Scene.play("view-memory-hit")
  }

  @Test func `an image is decoded at the size of its view`() async throws {
    try await Scene.play("view-size")
  }

  @Test func `an image is loaded again when its view grows`() async throws {
    try await Scene.play("view-growth")
  }

  @Test func `a loading view shows a spinner`() async throws {
    try await Scene.play("view-spinner")
  }

  @Test func `a spinner takes the place of an icon`() async throws {
    try await Scene.play("view-spinner-for-icon")
  }

  @Test func `a loading view shows a progress ring`() async throws {
    try await Scene.play("view-progress")
  }

  @Test func `two views of one URL share a load and a texture`() async throws {
    try await Scene.play("view-shared-load")
  }

  @Test func `a placeholder can be a themed icon`() async throws {
    try await Scene.play("view-icon")
  }

  @Test func `a GtkImage shows images at its pixel size`() async throws {
    try await Scene.play("view-gtk-image")
  }

  @Test func `placeholders and indicators can be widgets`() async throws {
    try await Scene.play("view-widgets")
  }

  @Test func `a PictureView loads its images by its own pipeline, unless a call names another one`() async throws {
    try await Scene.play("view-own-pipeline")
  }

  @Test func `a view without a URL shows its placeholder`() async throws {
    try await Scene.play("view-nil-url")
  }

  @Test func `a placeholder can be an image file`() async throws {
    try await Scene.play("view-file-placeholder")
  }

  @Test func `destroying a widget cancels its load`() async throws {
    try await Scene.play("view-destroyed")
  }

  @Test func `a destroyed widget frees its paintable, binder and texture`() async throws {
    try await Scene.play("view-freed")
  }

  @Test func `of a thousand views that are destroyed while they load, fade, fail and play, nothing remains`()
    async throws
  {
    try await Scene.play("view-leaks")
  }

  @Test func `completions of a view that is destroyed run while it is alive`() async throws {
    try await Scene.play("view-completed-before-end")
  }

  @Test func `a widget that is destroyed while its activity indicator runs is given no paintable again`() async throws {
    try await Scene.play("view-disposed")
  }

  @Test func `a hidden view is reported as not visible`() async throws {
    try await Scene.play("view-hidden")
  }

  @Test func `a view in a scrolled window is visible in and near the viewport`() async throws {
    try await Scene.play("scroll-viewport")
  }

  @Test func `views with onlyWhileVisible hold images only in and near the viewport`() async throws {
    try await Scene.play("scroll-only-while-visible")
  }

  @Test func `a destroyed scrolled window frees the binders of its views`() async throws {
    try await Scene.play("scroll-destroyed")
  }

  @Test func `a widget that is set to an image in the turn in which it is appended shows the image`() async throws {
    try await Scene.play("view-appended")
  }

  @Test func `a custom transition can remove its widget`() async throws {
    try await Scene.play("view-removed-by-transition")
  }

  @Test func `an image that the program has set itself is cleared or kept like an earlier image`() async throws {
    try await Scene.play("view-program-content")
  }

  @Test func `the scale factor of a request determines the natural size of its image`() async throws {
    try await Scene.play("view-scale-factor")
  }

  @Test func `a completion can wait for the end of a cross-fade`() async throws {
    try await Scene.play("view-transition-end")
  }

  @Test func `a picture over a child with a size request keeps its size`() async throws {
    try await Scene.play("view-fixed-size")
  }

  @Test func `a picture without a place of its own has the size that GTK gives it for the file, in each container`()
    async throws
  {
    try await Scene.play("view-natural-size")
  }

  @Test func `each place that the guides name shows its image, at the size of the image where it has none`()
    async throws
  {
    try await Scene.play("guide")
  }

  @Test func `a cross-fade from nothing can be interrupted before its first frame`() async throws {
    try await Scene.play("view-fade-from-nothing")
  }

  @Test func `a custom transition shows the image, and its end calls the completion`() async throws {
    try await Scene.play("view-custom-transition")
  }

  @Test func `captions are added to the cells that a grid has bound, once to each`() async throws {
    try await Scene.play("grid-captions")
  }

  @Test func `a grid binds only rows that have changed`() async throws {
    try await Scene.play("grid-changed-rows")
  }

  @Test func `pointers and flags that closures return reach GTK`() async throws {
    try await Scene.play("signal-result-types")
  }

  @Test func `the focus for a retry goes once it has left an image that is loaded`() async throws {
    try await Scene.play("accessibility-focus")
  }

  @Test func `preloaded frames are those that views play`() async throws {
    try await Scene.play("animation-preloaded")
  }

  @Test func `a preview of a partially downloaded image is drawn`() async throws {
    try await Scene.play("view-previews")
  }

  @Test func `a click on a view retries a failed load`() async throws {
    try await Scene.play("view-click")
  }

  @Test func `views of a transition group appear together`() async throws {
    try await Scene.play("view-transition-group")
  }

  @Test func `an image is decoded at device pixels at a scale factor of 2`() async throws {
    try await Scene.play("view-double-scale", scale: 2)
  }

  @Test func `views reused 10000 times never show a wrong image`() async throws {
    try await Scene.play("view-reuse")
  }

  @Test func `10000 images set on widgets that are hidden, removed and destroyed complete once each`() async throws {
    try await Scene.play("view-rebinding")
  }

  @Test func `frames of an animation are shown for exactly their durations`() async throws {
    try await Scene.play("animation-timing")
  }

  @Test func `a hidden animation is paused and holds no decoded frames`() async throws {
    try await Scene.play("animation-hidden")
  }

  @Test func `views of one animation show the same frame`() async throws {
    try await Scene.play("animation-shared")
  }

  @Test func `an animation ends after its loop count`() async throws {
    try await Scene.play("animation-loop-count")
  }

  @Test func `an animation is played, paused and stopped in one of two views`() async throws {
    try await Scene.play("animation-control")
  }

  @Test func `a view can show only the first frame of an animation`() async throws {
    try await Scene.play("animation-first-frame")
  }

  @Test(arguments: ["theme-icon-color", "theme-icon-direction"])
  func `a symbolic icon has the colour of its widget and the direction of its text`(scene: String) async throws {
    try await Scene.play(scene)
  }

  @Test func `a progress ring has the colours of the theme`() async throws {
    try await Scene.play("theme-progress-colors")
  }

  @Test func `without animations in the settings, nothing moves until it is played`() async throws {
    try await Scene.play("theme-reduced-motion")
  }

  @Test func `a cross-fade begins with what an interrupted one has reached`() async throws {
    try await Scene.play("view-interrupted-fade")
  }

  @Test(.disabled(if: VirtualDisplay.isWayland, "a compositor does not tell a window that it is minimised"))
  func `animations are paused while their window is minimised`() async throws {
    try await Scene.play("window-minimized")
  }

  @Test func `a failed image can have the focus, and is retried by keys`() async throws {
    try await Scene.play("accessibility-retry")
  }

  @Test func `a paintable loads its image in any widget, in the colours of that`() async throws {
    try await Scene.play("paintable-loads")
  }

  @Test func `a photograph that is zoomed out again leaves memory`() async throws {
    try await Scene.play("view-zoom")
  }

  @Test func `a picture of a UI file loads its URL`() async throws {
    try await Scene.play("picture-of-ui-file")
  }

  @Test func `a paintable that nothing references cancels its load`() async throws {
    try await Scene.play("paintable-freed")
  }

  @Test func `a screen reader is told the alternative text of an image, and whether it is busy or has failed`()
    async throws
  {
    try await Scene.play("accessibility-states", accessibility: "test")
  }
}
#endif
