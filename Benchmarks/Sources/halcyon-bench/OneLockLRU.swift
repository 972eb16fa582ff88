import Halcyon
import Synchronization

/// The usual way to write a memory cache: a dictionary and a linked list behind one lock. Measured beside ours.
final class OneLockLRU: Sendable {
  private struct Node {
    var image: DecodedImage
    var newer: Int
    var older: Int
  }

  private struct State {
    var places: [CacheKey: Int] = [:]
    // The first node closes the circle: its older neighbour is the newest image.
    var nodes: [Node]
  }

  private let state: Mutex<State>

  init(closing image: DecodedImage) {
    state = Mutex(State(nodes: [Node(image: image, newer: 0, older: 0)]))
  }

  func store(_ image: DecodedImage, for key: CacheKey) {
    state.withLock { state in
      let place = state.nodes.count
      state.places[key] = place
      state.nodes.append(Node(image: image, newer: place, older: place))
      Self.moveToFront(place, in: &state.nodes)
    }
  }

  func image(for key: CacheKey) -> DecodedImage? {
    state.withLock { state in
      guard let place = state.places[key] else { return nil }
      Self.moveToFront(place, in: &state.nodes)
      return state.nodes[place].image
    }
  }

  private static func moveToFront(_ place: Int, in nodes: inout [Node]) {
    let (newer, older) = (nodes[place].newer, nodes[place].older)
    nodes[newer].older = older
    nodes[older].newer = newer
    let second = nodes[0].older
    nodes[place].newer = 0
    nodes[place].older = second
    nodes[second].newer = place
    nodes[0].older = place
  }
}
