#if canImport(CurlShim)
import HalcyonSupport
import HalcyonHTTP
import CurlShim
import Foundation

/// Owns the thread on which libcurl runs, and ends it.
final class CurlThread: Sendable {
  let loop: CurlLoop

  init(_ configuration: CurlTransport.Configuration) {
    let loop = CurlLoop(configuration)
    self.loop = loop
    Thread.start(named: "halcyon.curl") { loop.run() }
  }

  deinit { loop.post(.stop) }
}

/// What goes on on the thread of libcurl.
///
/// Unchecked: `active`, `idle`, `connections`, `news` and `nextCheck` are touched only by `run()`, on its one thread;
/// `multi` too, but for `curl_multi_wakeup`, which libcurl allows from any thread, and which is called only while
/// `commands` says that the loop has not ended.
final class CurlLoop: @unchecked Sendable {
  enum Command {
    case start(Transfer)
    case unpause(Transfer)
    case cancel(Transfer)
    case stop
  }

  private struct Commands {
    var waiting: [Command] = []
    /// Whether the thread sleeps, or is about to, and nobody has woken it yet.
    var isAsleep = false
    var hasEnded = false
  }

  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Connections, and handles, that are kept for further transfers.
  private static let keptConnectionCount = 24

  private let configuration: CurlTransport.Configuration
  private let multi: OpaquePointer?
  private let commands = Lock(Commands())
  private var active: [ObjectIdentifier: CurlHandle] = [:]
  private var idle: [EasyHandle] = []
  private let connections = OpenConnections()
  private let news = CompletedTransfers()
  /// No transfer is overdue before this.
  private var nextCheck = ContinuousClock.now

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
    multi = Self.isInitialized ? curl_multi_init().map { OpaquePointer($0) } : nil
    // Left to itself libcurl keeps four connections for each transfer that goes on, and so closes most after a burst.
    if let multi {
      halcyon_curl_multi_set_long(UnsafeMutableRawPointer(multi), CURLMOPT_MAXCONNECTS, Self.keptConnectionCount)
    }
  }

  /// Tells the thread to do something; from any thread.
  func post(_ command: Command) {
    let refused = commands.withLock { commands in
      guard !commands.hasEnded, let multi else { return true }
      commands.waiting.append(command)
      // Waking is dear, and a thread that is at work looks for commands before it sleeps.
      if commands.isAsleep { curl_multi_wakeup(UnsafeMutableRawPointer(multi)) }
      commands.isAsleep = false
      return false
    }
    if refused, case .start(let transfer) = command {
      transfer.end(.failure(.failed(reason: "libcurl could not be started")))
    }
  }

  /// Works until told to stop.
  func run() {
    guard let multi = multi.map({ UnsafeMutableRawPointer($0) }) else {
      commands.withLock { $0.hasEnded = true }
      return
    }
    while obey(multi) {
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      finishCompleted(multi)
      news.wakeReaders()
      endOverdue(multi)
      if fallAsleep() { curl_multi_poll(multi, nil, 0, pollTimeout, nil) }
      news.noteTime()
    }
    for handle in active.values { handle.close(in: multi, .failure(.cancelled)) }
    (active, idle) = ([:], [])
    commands.withLock { $0.hasEnded = true }
    curl_multi_cleanup(multi)
  }

  /// Says that the thread has to be woken from now on; `false` when there is something to do.
  private func fallAsleep() -> Bool {
    commands.withLock { commands in
      commands.isAsleep = commands.waiting.isEmpty
      return commands.isAsleep
    }
  }

  /// Does what was posted; `false` at the command to stop.
  private func obey(_ multi: UnsafeMutableRawPointer) -> Bool {
    let waiting = commands.withLock { commands in
      defer {
        commands.waiting = []
        commands.isAsleep = false
      }
      return commands.waiting
    }
    var goesOn = true
    for command in waiting {
      switch command {
      case .start(let transfer): start(transfer, in: multi)
      case .unpause(let transfer): active[ObjectIdentifier(transfer)]?.unpause()
      case .cancel(let transfer):
        active.removeValue(forKey: ObjectIdentifier(transfer))?.close(in: multi, .failure(.cancelled))
      case .stop: goesOn = false
      }
    }
    return goesOn
  }

  private func start(_ transfer: Transfer, in multi: UnsafeMutableRawPointer) {
    guard !transfer.hasEnded else { return }
    do throws(TransportError) {
      let known = idle.popLast()
      let easy = if let known { known } else { try EasyHandle(configuration, connections: connections) }
      let handle = CurlHandle(
        transfer: transfer, easy: easy, addressPolicy: configuration.addressPolicy, news: news,
        openConnections: connections)
      try handle.add(to: multi)
      active[ObjectIdentifier(transfer)] = handle
      nextCheck = min(nextCheck, handle.nextDeadline(at: news.time))
    } catch {
      transfer.end(.failure(error))
    }
  }

  private func finishCompleted(_ multi: UnsafeMutableRawPointer) {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let handle = CurlHandle.of(easy)
      else { continue }
      // The message is gone with the handle.
      let code = message.pointee.data.result
      if handle.needsAnotherConnection, startAgain(handle, in: multi) { continue }
      let outcome = handle.outcome(of: code)
      active.removeValue(forKey: ObjectIdentifier(handle.transfer))?.close(in: multi, outcome)
      // One that failed may be in any state.
      if case .success = outcome, idle.count < Self.keptConnectionCount { idle.append(handle.easy) }
    }
  }

  private func startAgain(_ handle: CurlHandle, in multi: UnsafeMutableRawPointer) -> Bool {
    do throws(TransportError) {
      try handle.startAgain(in: multi)
      return true
    } catch {
      return false
    }
  }

  /// Looks at all transfers, but only when one of them may be overdue: activity only moves deadlines away.
  private func endOverdue(_ multi: UnsafeMutableRawPointer) {
    let now = news.time
    guard now >= nextCheck else { return }
    nextCheck = now + .seconds(60)
    for (key, handle) in active {
      if let error = handle.overdue(at: now) {
        active.removeValue(forKey: key)?.close(in: multi, .failure(error))
      } else {
        nextCheck = min(nextCheck, handle.nextDeadline(at: now))
      }
    }
  }

  /// Milliseconds until a transfer may be overdue.
  private var pollTimeout: Int32 {
    let wait = news.time.duration(to: nextCheck).inSeconds
    return Int32(min(60_000, max(1, (wait * 1000).rounded(.up))))
  }
}

/// The transfers that something came for since their readers were last woken; used only on the thread of the loop.
final class CompletedTransfers {
  /// The time at which the loop last woke up: what comes before it sleeps again is taken to come then.
  private(set) var time = ContinuousClock.now
  private var transfers: [Transfer] = []

  func noteTime() { time = .now }

  /// Lines and pieces of one transfer come in a row, so looking at the last tells enough: waking twice does no harm.
  func add(_ transfer: Transfer) {
    if transfers.last !== transfer { transfers.append(transfer) }
  }

  func wakeReaders() {
    for transfer in transfers { transfer.wakeReader() }
    transfers.removeAll(keepingCapacity: true)
  }
}
#endif
