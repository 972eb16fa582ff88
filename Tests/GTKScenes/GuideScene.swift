#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport
import HalcyonViews

/// The places for images that the guides name, in one window, where only the grid is given a size. `HALCYON_LOOKS` names a
/// file for eyes.
@MainActor
enum GuideScene {
  private typealias Widget = UnsafeMutablePointer<GtkWidget>

  private struct Place {
    let name: String
    let widget: Widget
    let hc: ImageViewProxy
    /// The least width; the image is 160 points wide.
    let width: Int
    /// The widget lives as long as this, until it is in a window.
    var owner: AnyObject?
  }

  static func play(_ stage: Stage) async throws {
    gtk_window_set_default_size(stage.window.cast(), 1180, 240)
    try await ImageServer.run { server in
      let pipeline = ViewScenes.pipeline()
      ImagePipeline.shared = pipeline
      let photo = ImageRequest(
        source: .data(try Photos.data("rocket.jpg"), key: "photo"), size: .fit(width: 160, height: 160))
      let url = server.serve("/photo.jpg", .body(try await pipeline.encodedData(for: photo, as: .jpeg)))
      let places = try places(url)
      for place in places {
        place.hc.setImage(with: url, placeholder: .icon("image-x-generic-symbolic"))
        stage.append(place.widget, width: -1, height: -1)
        gtk_widget_set_valign(place.widget, GTK_ALIGN_CENTER)
      }
      let grid = PictureGrid((0..<4).map { _ in ImageRequest(url: url) }, cellWidth: 90, cellHeight: 90, columns: 2...2)
      var cells: [Widget] = []
      grid.onBind = { cell, index in
        guard let caption = gtk_label_new("Photo \(index + 1)") else { return }
        gtk_widget_set_valign(caption, GTK_ALIGN_END)
        gtk_overlay_add_overlay(cell.opaque, caption)
        cells.append(cell)
      }
      guard let widget = grid.widget else { throw Stage.Failure(description: "the grid has no widget") }
      try await stage.add(widget, width: 200, height: 190)
      for place in places {
        try await stage.until("\(place.name) shows the image") { place.hc.phase.image != nil }
      }
      try await stage.until("the cells show images") { cells.count >= 4 && SharedTextures.all.count >= 2 }
      for _ in 0..<10 { await stage.nextFrame() }
      for place in places {
        let width = Int(gtk_widget_get_width(place.widget))
        try stage.require(width >= place.width, "\(place.name) is \(width) points wide")
      }
      if let file = ProcessInfo.processInfo.environment["HALCYON_LOOKS"] { stage.saveScreenshot(file) }
      grid.onBind = nil
    }
  }

  private static func places(_ url: URL) throws -> [Place] {
    guard let picture = gtk_picture_new(), let image = gtk_image_new(), let button = gtk_button_new(),
      let inButton = gtk_picture_new()
    else { throw Stage.Failure(description: "GTK cannot create widgets") }
    gtk_image_set_pixel_size(image.opaque, 48)
    gtk_button_set_child(button.cast(), inButton)
    let view = PictureView()
    let avatar = LoadingPaintable(width: 48, height: 48)
    guard let avatarImage = gtk_image_new_from_paintable(avatar.pointer) else {
      throw Stage.Failure(description: "GTK cannot create an image")
    }
    gtk_image_set_pixel_size(avatarImage.opaque, 48)
    let ofFile = try pictureOfUIFile(url)
    return [
      Place(name: "a GtkPicture", widget: picture, hc: picture.hc, width: 160),
      Place(name: "a GtkImage", widget: image, hc: image.hc, width: 48),
      Place(name: "a button", widget: button, hc: inButton.hc, width: 160),
      Place(name: "a PictureView", widget: view.widget, hc: view.hc, width: 160, owner: view),
      Place(name: "an avatar", widget: avatarImage, hc: avatar.hc, width: 48),
      Place(name: "a picture of a UI file", widget: ofFile, hc: ofFile.hc, width: 160),
    ]
  }

  private static func pictureOfUIFile(_ url: URL) throws -> Widget {
    PictureWidget.register()
    let text = """
      <interface>
        <object class="HalcyonPicture" id="photo">
          <property name="uri">\(url.absoluteString)</property>
        </object>
      </interface>
      """
    guard let builder = gtk_builder_new_from_string(text, gssize(text.utf8.count)),
      let object = gtk_builder_get_object(builder, "photo")
    else { throw Stage.Failure(description: "the UI file was not read") }
    return UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWidget.self)
  }
}
#endif
