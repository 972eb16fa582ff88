#if canImport(CurlShim)
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
