#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Writes a picture of the states of views to the file that `HALCYON_LOOKS` names, for eyes.
@MainActor
enum LooksScene {
  static func play(_ stage: Stage) async throws {
    guard let file = ProcessInfo.processInfo.environment["HALCYON_LOOKS"] else { return }
    if ProcessInfo.processInfo.environment["HALCYON_RTL"] != nil { gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL) }
    gtk_window_set_default_size(OpaquePointer(stage.window).as(GtkWindow.self), 760, 160)
    try await ImageServer.run { server in
      let gate = Gate()
      let data = try Photos.data("rocket.jpg")
      let held = server.serve("/held.jpg", .body(data).held(by: gate, at: .body(data.count / 2)))
      let waiting = server.serve("/waiting.jpg", .body(data).held(by: gate))
      let missing = server.serve("/missing.jpg", .status(404))
      let photo = server.serve("/photo.jpg", .body(data))
      let pipeline = ViewScenes.pipeline()
      var views: [UnsafeMutablePointer<GtkWidget>] = []
      for _ in 0..<6 { views.append(try await stage.addPicture(width: 120, height: 120)) }
      views[0].hc.setImage(with: nil as URL?, placeholder: .icon("go-next-symbolic"), pipeline: pipeline)
      views[1].hc.setImage(with: waiting, options: ImageViewOptions(indicator: .activity), pipeline: pipeline)
      views[2].hc.setImage(with: held, options: ImageViewOptions(indicator: .progress), pipeline: pipeline)
      let failing = ImageViewOptions(failure: .shows(.icon("image-missing-symbolic")), retriesOnTap: true)
      views[3].hc.setImage(with: missing, options: failing, pipeline: pipeline)
      views[4].hc.setImage(with: photo, pipeline: pipeline)
      var request = ImageRequest(url: held)
      request.previews = PreviewPolicy()
      views[5].hc.setImage(with: request, options: ImageViewOptions(indicator: .activity), pipeline: pipeline)
      try await stage.until("it has failed") { views[3].hc.phase.error != nil }
      try await stage.until("it is shown") { views[4].hc.phase.image != nil }
      try await stage.until("bytes have come") { views[2].hc.phase.progress.map { $0.fraction ?? 0 > 0.4 } == true }
      gtk_window_set_focus_visible(OpaquePointer(stage.window).as(GtkWindow.self), 1)
      gtk_widget_grab_focus(views[3])
      for _ in 0..<20 { await stage.nextFrame() }
      stage.saveScreenshot(file)
      gate.open()
    }
  }
}
#endif
