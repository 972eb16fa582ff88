import Foundation
import GalleryOrigin
import HalcyonGTK

/// `halcyon-bench-views [scroll] [blocking] [sizing] [zoom] [animation]` prints METRIC lines for views in a window;
/// without arguments, all of them. `halcyon-bench-views origin` runs the web server.
@main
enum Main {
  @MainActor
  static func main() {
    let isOrigin = CommandLine.arguments.contains("origin")
    if !isOrigin, gtk_init_check() == 0 {
      print("There is no display. Start this with: xvfb-run -a halcyon-bench-views")
      exit(2)
    }
    MainLoop.runMainActor()
    let loop = g_main_loop_new(nil, 0)
    Task {
      do {
        if isOrigin { try await GalleryProcess.serve() } else { try await run() }
      } catch {
        print(error)
        exit(1)
      }
      g_main_loop_quit(loop)
    }
    g_main_loop_run(loop)
  }

  @MainActor
  private static func run() async throws {
    let parts = CommandLine.arguments.dropFirst()
    if parts.first == SizingBenchmark.command { return try await SizingBenchmark.measure(Array(parts.dropFirst())) }
    if parts.first == ZoomBenchmark.command { return try await ZoomBenchmark.look(at: URL(filePath: parts.last ?? "")) }
    func isWanted(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
    if ["scroll", "blocking", "sizing", "zoom"].contains(where: isWanted) {
      let origin = try await GalleryProcess()
      defer { origin.stop() }
      if isWanted("scroll") { try await ScrollBenchmark(origin.urls).run() }
      if isWanted("blocking") { try await BlockingBenchmark(origin.urls).run() }
      if isWanted("sizing") { try await SizingBenchmark(origin.urls[0]).run() }
      if isWanted("zoom") { try await ZoomBenchmark(origin.urls[0]).run() }
    }
    if isWanted("animation") { try await AnimationBenchmark().run() }
  }
}
