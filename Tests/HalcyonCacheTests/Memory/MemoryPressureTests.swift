import HalcyonSupport
import HalcyonImaging
import Foundation
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

@Suite(.unitTest)
struct MemoryPressureTests {
  /// Scripted memory pressure; `isOver` ends when all of it has been handled.
  private final class ScriptedPressure: MemoryPressureSource {
    let isOver: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation
    private let pressures: Lock<[MemoryPressure]>
    /// The events begin when this signal is set.
    let start = Signal()
    private let starts = Lock(0)
    var startCount: Int { starts.withLock { $0 } }

    init(_ pressures: [MemoryPressure]) {
      self.pressures = Lock(pressures.reversed())
      (isOver, end) = AsyncStream.makeStream()
    }

    func events() -> AsyncStream<MemoryPressure> {
      starts.withLock { $0 += 1 }
      return AsyncStream { [self] in
        await start.wait()
        // The next event is requested when the previous one has been handled.
        let next = pressures.withLock { $0.popLast() }
        if next == nil { end.finish() }
        return next
      }
    }
  }

  private func fullCache(
    empties: Bool = false, pressure: any MemoryPressureSource = ScriptedPressure([])
  ) throws -> MemoryCache {
    let cache = MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: 10_000, emptiesUnderPressure: empties), time: SystemTime(),
      pool: .shared, pressure: MemoryPressureMonitor(source: pressure))
    for number in 0..<25 { cache.store(try solidImage(10, 10), for: CacheKey("\(number)")) }
    return cache
  }

  @Test(arguments: [
    ([MemoryPressure.some], 4800), ([.full], 800), ([.some, .some], 2400), ([.some, .full], 400), ([.warning], 0),
  ])
  func `memory pressure trims the cache`(pressures: [MemoryPressure], cost: Int) async throws {
    let source = ScriptedPressure(pressures)
    let cache = try fullCache(pressure: source)
    source.start.set()
    for await _ in source.isOver {}
    #expect(cache.totalCost == cost)
    #expect(cache.configuration.costLimit == 10_000)
    #expect(cache.statistics.evictions[.pressure] == 25 - cost / 400)
  }

  @Test(arguments: [MemoryPressure.some, .full])
  func `memory pressure empties the cache by default`(pressure: MemoryPressure) throws {
    #expect(MemoryCacheConfiguration().emptiesUnderPressure)
    let cache = try fullCache(empties: true)
    let image = try #require(cache.image(for: "1"))
    cache.trim(for: pressure)
    #expect(cache.count == 0)
    #expect(cache.image(for: "1") != nil, "an image in use is found again")
    withExtendedLifetime(image) {}
  }

  @Test func `a monitor reports memory pressure to all observers, in order, from one source`() async {
    let source = ScriptedPressure([.some, .full, .some])
    let (reported, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
    let monitor = MemoryPressureMonitor(source: source)
    _ = monitor.observe { _ in Issue.record("the subscription has ended") }
    let subscriptions = (0..<2).map { _ in monitor.observe { continuation.yield($0) } }
    source.start.set()
    for await _ in source.isOver {}
    continuation.finish()
    var pressures: [MemoryPressure] = []
    for await pressure in reported { pressures.append(pressure) }
    #expect(pressures == [.some, .some, .full, .full, .some, .some])
    #expect(source.startCount == 1)
    withExtendedLifetime((monitor, subscriptions)) {}
  }

  @Test func `an image cache trims a memory store of another kind, and encoded images`() async throws {
    let memory = try fullCache()
    let source = ScriptedPressure([.full])
    let cache = ImageCache(
      memory: RequiredMembersStore(cache: memory), store: nil, encodedByteLimit: 1 << 20, time: SystemTime(),
      pressure: MemoryPressureMonitor(source: source))
    let entry = StoredEntry(body: Data(count: 1000), metadata: .example)
    for key in ["a", "b"] as [CacheKey] { try await cache.encodedStore?.store(entry, for: key) }
    #expect(try await cache.byteCount(of: .memory) > 2000)
    source.start.set()
    for await _ in source.isOver {}
    #expect(memory.count == 0)
    #expect(try await cache.byteCount(of: .memory) == 0)
  }

  @Test func `a store without pressure handling is emptied under full pressure`() throws {
    let memory = try fullCache()
    let store: any MemoryStore = RequiredMembersStore(cache: memory)
    store.trim(for: .some)
    #expect(memory.count == 25)
    store.trim(for: .full)
    #expect(memory.count == 0)
  }

  #if os(Linux)
  @Test func `a memory store of the program is trimmed when a trigger of the system fires`() async throws {
    let full = try UrgentSocket()
    let watch = try #require(PressureStallWatch(triggers: [.full: full.takeReader()]))
    let memory = try fullCache()
    let cache = ImageCache(
      memory: RequiredMembersStore(cache: memory), store: nil, encodedByteLimit: 0, time: SystemTime(),
      pressure: MemoryPressureMonitor(source: TriggeredPressure(watch: watch)))
    full.signal()
    while memory.count > 0 { try await Task.yieldUnlessCancelled() }
    withExtendedLifetime(cache) {}
  }

  /// The watch of the system, over a socket in place of the kernel's trigger.
  private struct TriggeredPressure: MemoryPressureSource {
    let watch: PressureStallWatch

    func events() -> AsyncStream<MemoryPressure> {
      let (events, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
      watch.report(to: continuation)
      return events
    }
  }

  @Test(arguments: [[MemoryPressure.some], [.full], [.some, .full]])
  func `an event of a pressure trigger is reported, the most urgent one of several`(
    signalled: [MemoryPressure]
  ) async throws {
    // Like a trigger of the kernel, a socket with urgent data polls as POLLPRI.
    let (some, full) = (try UrgentSocket(), try UrgentSocket())
    let watch = try #require(PressureStallWatch(triggers: [.some: some.takeReader(), .full: full.takeReader()]))
    for pressure in signalled { (pressure == .some ? some : full).signal() }
    let (events, continuation) = AsyncStream.makeStream(of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    watch.report(to: continuation)
    var reported: MemoryPressure?
    for await pressure in events {
      reported = pressure
      break
    }
    #expect(reported == signalled.last)
  }

  @Test func `a pressure watch without triggers does not start`() {
    #expect(PressureStallWatch(triggers: [:]) == nil)
  }
  #endif

  @Test func `the system's pressure source can be started and stopped on every platform`() async {
    let watching = Task {
      for await _ in SystemMemoryPressure().events() {}
    }
    watching.cancel()
    await watching.value
  }
}

#if os(Linux)
/// A TCP connection over the loopback interface, one end of which can be made to have urgent data.
private final class UrgentSocket {
  private var reader: Int32 = -1
  private var writer: Int32 = -1
  private var isReaderTaken = false

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, listen(listener, 1) == 0,
          getsockname(listener, address, &length) == 0
        else { return false }
        writer = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard connect(writer, address, length) == 0 else { return false }
        reader = accept(listener, nil, nil)
        return reader >= 0
      }
    }
    try #require(isConnected)
  }

  deinit {
    close(writer)
    if !isReaderTaken { close(reader) }
  }

  /// The reading end, which the caller closes.
  func takeReader() -> Int32 {
    isReaderTaken = true
    return reader
  }

  /// Sends urgent data, and waits until it has arrived.
  func signal() {
    var byte: UInt8 = 1
    send(writer, &byte, 1, Int32(MSG_OOB))
    var polled = pollfd(fd: reader, events: Int16(POLLPRI), revents: 0)
    poll(&polled, 1, -1)
  }
}
#endif
