#if GTK
public import CGTK
public import Halcyon

extension ImageCache {
  /// Tells each ``DiskCache`` in this cache when an application ends, as long as that lives: at the signal `shutdown`,
  /// which comes after the main loop, it writes down what was read, and cleans where its ``CleaningPolicy`` has
  /// `.termination`.
  ///
  /// Views do this for the pipelines that load their images, with the application that `g_application_get_default()`
  /// gives; doing it again does nothing. A program without an application calls ``DiskCache/willTerminate()`` itself.
  @MainActor
  public func followLifeCycle(of application: UnsafeMutablePointer<GApplication>) {
    ApplicationLifeCycle.of(application).add(self)
  }
}
#endif
