#if canImport(CurlShim)
/// The transfers that something came for since their readers were last woken; used only on the thread of the loop.
final class TransferNews {
  private var transfers: [ObjectIdentifier: Transfer] = [:]

  func add(_ transfer: Transfer) { transfers[ObjectIdentifier(transfer)] = transfer }

  func wakeReaders() {
    for transfer in transfers.values { transfer.wakeReader() }
    transfers.removeAll(keepingCapacity: true)
  }
}
#endif
