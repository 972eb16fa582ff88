#if GTK
import Testing

/// Claims about windows. What each of them means is played by the scene of the same name in `Tests/GTKScenes`.
@Suite(.serialized) struct SceneTests {
  @Test(arguments: [
    "loop-runs-tasks", "loop-sleeps", "loop-lets-sources-through", "loop-lets-tasks-through",
  ])
  func `GLib's main loop and the main actor share a thread`(scene: String) throws {
    #expect(try Scene.play(scene) == "")
  }

  @Test func `what was read is written down when an application ends`() throws {
    #expect(try Scene.play("shutdown-writes-down-reads") == "")
  }

  @Test func `a cache that follows an application twice is told once`() throws {
    #expect(try Scene.play("shutdown-once") == "")
  }

  @Test func `caches of views follow the application by themselves`() throws {
    #expect(try Scene.play("shutdown-of-views") == "")
  }

  @Test(arguments: ["texture-shares-pixels", "texture-frees-pixels", "texture-is-shared"])
  func `textures are the pixels of images`(scene: String) throws {
    #expect(try Scene.play(scene) == "")
  }

  @Test func `a view shows its placeholder, then its image`() throws {
    #expect(try Scene.play("view-placeholder") == "")
  }

  @Test func `an image is drawn in the middle of its view`() throws {
    #expect(try Scene.play("view-image") == "")
  }

  @Test func `an image that fails is replaced by what is named for that`() throws {
    #expect(try Scene.play("view-failure") == "")
  }

  @Test func `a fade is where the frame clock has it`() throws {
    #expect(try Scene.play("view-cross-fade") == "")
  }

  @Test func `an image in memory is drawn at once, without a fade`() throws {
    #expect(try Scene.play("view-memory-hit") == "")
  }

  @Test func `an image is decoded at the size of its view`() throws {
    #expect(try Scene.play("view-size") == "")
  }

  @Test func `an image is loaded again when its view grows`() throws {
    #expect(try Scene.play("view-growth") == "")
  }

  @Test func `a view that loads has an indicator that turns`() throws {
    #expect(try Scene.play("view-spinner") == "")
  }

  @Test func `a view that loads has a ring that fills`() throws {
    #expect(try Scene.play("view-progress") == "")
  }

  @Test func `two views of one address load once and share a texture`() throws {
    #expect(try Scene.play("view-two-of-one-address") == "")
  }

  @Test func `a placeholder may be an icon of the theme`() throws {
    #expect(try Scene.play("view-icon") == "")
  }

  @Test func `a GtkImage shows images at its pixel size`() throws {
    #expect(try Scene.play("view-gtk-image") == "")
  }

  @Test func `placeholders and indicators may be widgets`() throws {
    #expect(try Scene.play("view-widgets") == "")
  }

  @Test func `a view without an address shows its placeholder`() throws {
    #expect(try Scene.play("view-nil") == "")
  }

  @Test func `a widget that goes ends its load`() throws {
    #expect(try Scene.play("view-gone") == "")
  }

  @Test func `nothing is left of widgets that are gone`() throws {
    #expect(try Scene.play("view-freed") == "")
  }

  @Test func `a hidden view is known to be hidden`() throws {
    #expect(try Scene.play("view-hidden") == "")
  }

  @Test func `a view in a scrolled window is visible when it is in sight`() throws {
    #expect(try Scene.play("scroll-sight") == "")
  }

  @Test func `views of a list have their images only while they are in sight, if asked to`() throws {
    #expect(try Scene.play("scroll-only-while-visible") == "")
  }

  @Test func `nothing is left of a scrolled window that is gone`() throws {
    #expect(try Scene.play("scroll-gone") == "")
  }

  @Test func `what has arrived of an image is drawn`() throws {
    #expect(try Scene.play("view-previews") == "")
  }

  @Test func `a click on a view tries again what has failed`() throws {
    #expect(try Scene.play("view-tap") == "")
  }

  @Test func `views are revealed together`() throws {
    #expect(try Scene.play("view-together") == "")
  }

  @Test func `an image is decoded for the pixels of a screen of double scale`() throws {
    #expect(try Scene.play("view-double-scale", scale: 2) == "")
  }

  @Test func `views reused in 10000 steps never show a wrong image`() throws {
    #expect(try Scene.play("view-reuse") == "")
  }

  @Test func `pictures of an animation are shown for exactly their times`() throws {
    #expect(try Scene.play("animation-times") == "")
  }

  @Test func `a hidden animation stands still and holds nothing`() throws {
    #expect(try Scene.play("animation-hidden") == "")
  }

  @Test func `views of one animation show the same picture`() throws {
    #expect(try Scene.play("animation-shared") == "")
  }

  @Test func `an animation ends after its rounds`() throws {
    #expect(try Scene.play("animation-ends") == "")
  }
}
#endif
