import HalcyonPipeline

/// From when the image is there, or is known not to come, to when the view shows it.
extension ImageViewLoad {
  func end(_ result: Result<ImageResponse, ImageError>) {
    guard isCurrent else { return finish(.failure(.superseded(result))) }
    self.result = result
    sideTask?.cancel()
    sideTask = nil
    let reveal: @MainActor @Sendable () -> Void = { [self] in show(result) }
    if let group = options.transitionGroup { group.hold(self, reveal: reveal) } else { phase.end(reveal) }
  }

  private func show(_ result: Result<ImageResponse, ImageError>) {
    guard !isFinished, let binder else { return }
    stop()
    guard let display = binder.display else { return finish(.failure(.superseded(result))) }
    switch result {
    case .success(let response):
      present(response, on: binder)
      finish(.success(response))
      if isCurrent, let request = order.request { grow(request, on: display, binder) }
    case .failure(.cancelled):
      finish(.failure(.cancelled))
    case .failure(let error):
      showFailure(on: binder)
      finish(.failure(.loading(error)))
    }
  }

  /// Shows the image, unless the view wants none before it is visible.
  func present(_ response: ImageResponse, on binder: ImageViewBinder) {
    guard isWanted else { return letGo(on: binder) }
    shownImage = response.image
    binder.show(DisplayContent(.image(response.image), role: .image), transition: transition(from: response.origin))
  }

  private func transition(from origin: ImageOrigin) -> ImageTransition {
    options.transitionOrigins.contains(origin) ? options.transition : .none
  }

  func showFailure(on binder: ImageViewBinder) {
    switch options.failure {
    case .keepsPlaceholder: if binder.content.isEmpty, order.placeholder != nil { binder.show(standIn) }
    case .shows(let placeholder): binder.show(DisplayContent(placeholder.picture, role: .failure))
    case .clears: binder.show(.nothing)
    }
  }

  var standIn: DisplayContent {
    DisplayContent(order.placeholder?.picture ?? .none, role: .placeholder)
  }
}
