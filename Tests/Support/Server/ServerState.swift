#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The state shared by the threads of a server and its test.
struct ServerState: Sendable {
  var routes: [String: @Sendable (RecordedRequest) -> Reply] = [:]
  /// The number of future connections that are reset as soon as they are accepted.
  var resetCount = 0
  /// Sockets bound to a port without listening, so that connections are refused.
  var refusingDescriptors: [Int32] = []
  private(set) var requests: [RecordedRequest] = []
  private(set) var isStopping = false
  private(set) var acceptedCount = 0
  private(set) var openIDs: Set<Int> = []
  private(set) var hasListener = true
  /// The sockets that `stop()` may shut down; each is removed before it is closed and its descriptor reused.
  private var descriptors: [Int: Int32] = [:]
  private var requestCounts: [String: Int] = [:]

  enum Admission: Sendable {
    case serve(id: Int)
    case reset(id: Int)
    case refuse
  }

  mutating func admit(_ descriptor: Int32) -> Admission {
    guard !isStopping else { return .refuse }
    acceptedCount += 1
    openIDs.insert(acceptedCount)
    guard resetCount == 0 else {
      resetCount -= 1
      return .reset(id: acceptedCount)
    }
    descriptors[acceptedCount] = descriptor
    return .serve(id: acceptedCount)
  }

  /// Call before closing the socket of connection `id`.
  mutating func willClose(_ id: Int) {
    descriptors[id] = nil
  }

  /// Call after closing it.
  mutating func didClose(_ id: Int) {
    openIDs.remove(id)
  }

  mutating func didStopListening() {
    hasListener = false
  }

  /// Refuses further connections, and wakes every thread that reads, writes or polls; `shutdown` does not block.
  mutating func stop() {
    isStopping = true
    for descriptor in descriptors.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  /// Whether all threads and connections of a stopped server have ended.
  var isOver: Bool { !hasListener && openIDs.isEmpty }

  func reply(to request: RecordedRequest) -> (@Sendable (RecordedRequest) -> Reply)? {
    routes[request.path] ?? routes[request.pathWithoutQuery]
  }

  mutating func takeRefusingDescriptors() -> [Int32] {
    defer { refusingDescriptors = [] }
    return refusingDescriptors
  }

  /// Records a request and returns its index.
  mutating func record(_ request: RecordedRequest) -> Int {
    requests.append(request)
    for path in Set([request.path, request.pathWithoutQuery]) { requestCounts[path, default: 0] += 1 }
    return requests.count - 1
  }

  mutating func setStatus(_ status: Int, ofRequest index: Int) {
    requests[index].status = status
  }

  /// The number of requests for `path`, or of all; O(1), because waiters check it at every event.
  func requestCount(path: String?) -> Int {
    path.map { requestCounts[$0, default: 0] } ?? requests.count
  }
}
