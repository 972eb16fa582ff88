import HalcyonImaging
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonViews

/// The states of a load, and the events that end them.
@Suite(.unitTest) struct ViewLoadStateTests {
  private static let image = try? solidImage(4, 2)
  private static var response: ImageResponse? {
    image.map { ImageResponse(memory: $0, for: ImageRequest(source: .string("https://example.com/a"))) }
  }

  private func response() throws -> ImageResponse { try #require(Self.response) }

  private func name(_ result: ViewLoadState.Result?) -> String { result?.name ?? "nothing" }

  @Test func `a load without a result ends with the error`() throws {
    for state in [ViewLoadState.created, .waiting, .loading, .pending(.success(try response()))] {
      var ended = state
      #expect(state.isLoading && !state.isFinished && state.image == nil && state.error == nil)
      #expect(name(ended.end(.cancelled(request: nil))) == "cancelled")
      #expect(!ended.isLoading && ended.isFinished && ended.image == nil)
      guard case .failed(.cancelled) = ended, case .cancelled = ended.error else {
        Issue.record("\(state) became \(ended)")
        return
      }
      #expect(name(ended.end(.emptySource)) == "nothing", "a second end")
    }
  }

  @Test func `a load that is ended during its transition has succeeded`() throws {
    var state = ViewLoadState.transitioning(ViewLoadState.Transition(try response()))
    #expect(!state.isLoading && !state.isFinished && state.image?.size.width == 4)
    #expect(name(state.end(.cancelled(request: nil))) == "4x2 from memory")
    guard case .shown = state else { throw Unexpected(state) }
    #expect(state.error == nil && state.isFinished)
  }

  @Test func `only the end of the latest transition ends a load`() throws {
    let (first, second) = (ViewLoadState.Transition(try response()), ViewLoadState.Transition(try response()))
    var state = ViewLoadState.transitioning(second)
    #expect(name(state.end(first)) == "nothing")
    guard case .transitioning = state else { throw Unexpected(state) }
    #expect(name(state.end(second)) == "4x2 from memory")
    #expect(name(state.end(second)) == "nothing")
    guard case .shown = state else { throw Unexpected(state) }
  }

  @Test func `an image that is shown, or released by a hidden view, is not ended again`() throws {
    let image = try #require(Self.image)
    for state in [ViewLoadState.shown(image), .released(nil), .released(.cancelled)] {
      var ended = state
      #expect(name(ended.end(.cancelled(request: nil))) == "nothing")
      #expect(ended.isFinished && !ended.isLoading)
      #expect((ended.image == nil) == (state.image == nil))
    }
    #expect(ViewLoadState.released(nil).error == nil)
    #expect(ViewLoadState.released(.cancelled).error != nil, "the failure of its reload")
  }

  @Test func `phases follow from states`() throws {
    let image = try #require(Self.image)
    let nothing = DisplayContent.nothing
    let kept = DisplayContent(.image(image), role: .image)
    let progress = LoadProgress(receivedByteCount: 5, expectedByteCount: 10)
    func phase(_ state: ViewLoadState, _ content: DisplayContent = .nothing, isReloading: Bool = false) -> ImagePhase {
      state.phase(showing: content, progress, isReloading: isReloading)
    }
    for state in [
      ViewLoadState.created, .waiting, .released(nil), .failed(.cancelled(request: nil)), .failed(.emptySource),
    ] {
      #expect(phase(state).isSame(as: .empty), "\(state)")
    }
    for state in [ViewLoadState.loading, .pending(.success(try response()))] {
      #expect(phase(state).isSame(as: .loading(progress)))
      #expect(phase(state, kept).isSame(as: .preview(image, progress)))
    }
    #expect(phase(.transitioning(ViewLoadState.Transition(try response())), nothing).isSame(as: .success(image)))
    #expect(phase(.shown(image)).isSame(as: .success(image)))
    #expect(phase(.released(nil), isReloading: true).isSame(as: .loading(nil)))
    #expect(phase(.released(.cancelled), isReloading: true).error != nil)
    #expect(phase(.failed(.loading(.cancelled))).error != nil)
  }

  private struct Unexpected: Error {
    let state: ViewLoadState
    init(_ state: ViewLoadState) { self.state = state }
  }
}
