/// Reports the start and the end of a load to the event handler; the steps in between report theirs to the subscribers.
struct Reporting: LoadStep {
  private let reporter: LoadReporter

  /// `nil` without an event handler, and for a load that is reported already, such as the load of a task.
  init?(_ load: Load, by monitor: PipelineMonitor?) {
    guard let monitor, !load.subscription.isReported else { return nil }
    reporter = monitor.reporter(for: load.request)
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    load.subscription.report(to: reporter)
    reporter.report(.started)
    if let memory = load.memory { load.report(memory.event(for: load.request)) }
    do throws(ImageError) {
      let value = try await next(load)
      reporter.report(value.lastEvent)
      return value
    } catch {
      reporter.report(.failed(error))
      throw error
    }
  }
}
