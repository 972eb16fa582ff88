import HalcyonHTTP
import HalcyonSupport

/// Shows a stale image at once, while it is revalidated.
///
/// For a view the stored image is decoded while the server is contacted. A task with ``CachePolicy/staleFirst`` decodes
/// it first, so that an unchanged image is not decoded or processed again.
struct StaleFirst: LoadStep {
  private let loader: ImageLoader

  /// `nil` if the load is not of a view and its policy is another one, or if no image is shown.
  init?(_ load: Load, in loader: ImageLoader) {
    guard load.memory != nil, load.subscription.isOfView || load.resolved.cachePolicy == .staleFirst else { return nil }
    self.loader = loader
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    if load.resolved.cachePolicy != .staleFirst { return try await showStoredMeanwhile(load, next) }
    if let stale = load.memory?.staleImage {
      await load.show(ImageResponse(memory: stale, of: load.request.source))
      return try await next(load)
    }
    guard let stored = try? await direct(load.changed { $0.cachePolicy = .cacheOnly }),
      let response = stored.shownResponse(to: load.request)
    else { return try await next(load) }
    if loader.isFresh(response.image) { return stored }
    await load.show(response)
    // A stored variant was not decoded from the bytes that are revalidated.
    return try await next(load.request.encodesImages ? load : load.after(.stale(response.image)))
  }

  /// Shows the stored image unless the new one is loaded first. An error is delivered after the stored image in any
  /// case.
  private func showStoredMeanwhile<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    // The view has already shown a stale image from memory.
    if load.memory?.staleImage != nil { return try await next(load) }
    let stored = StoredImage {
      guard let value = try? await next(load.changed { $0.cachePolicy = .cacheOnly }), !Task.isCancelled,
        let response = value.shownResponse(to: load.request)
      else { return }
      await load.show(response)
    }
    load.subscription.observeStored { stored.show(retaining: $0) }
    defer { load.subscription.observeStored(nil) }
    do throws(ImageError) {
      let value = try await next(load)
      stored.cancel()
      return value
    } catch {
      if error.isFinal { stored.cancel() } else { await stored.end() }
      throw error
    }
  }
}

extension Load {
  fileprivate func show(_ response: ImageResponse) async {
    subscription.report(.stale(await request.delivered(response)))
  }
}

/// The work of showing the stored image, which is done at most once.
private final class StoredImage: Sendable {
  private struct State {
    var work: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Lock(State())
  private let load: @Sendable () async -> Void

  init(load: @escaping @Sendable () async -> Void) { self.load = load }

  /// - Parameter bytes: Retained until the image has been decoded.
  func show(retaining bytes: any AnyObject & Sendable) {
    state.withLock { state in
      guard state.work == nil, !state.isCancelled else { return }
      state.work = Task { [load] in
        await load()
        withExtendedLifetime(bytes) {}
      }
    }
  }

  /// Waits until the image has been shown, if it is known.
  func end() async {
    await withTaskCancellationHandler {
      await state.withLock(\.work)?.value
    } onCancel: {
      cancel()
    }
  }

  func cancel() {
    let work = state.withLock { state in
      state.isCancelled = true
      return state.work
    }
    work?.cancel()
  }
}
