public import HalcyonSupport

/// Why a tier of a ``TieredStore`` was not used; its store adds its own errors.
@nonexhaustive
public enum TieredStoreError: Error, Hashable {
  /// The tier took longer than its budget.
  case budgetExceeded(tier: String, budget: Duration)
  /// The tier has failed several times, and is skipped for a short time.
  case skipped(tier: String)
  /// The store of the tier cannot remove the entries of a source.
  case purgeUnsupported(tier: String)
}

extension TieredStoreError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .budgetExceeded(let tier, let budget):
      "The tier \(tier.printable) took longer than \(budget). Check its load, or raise its budget."
    case .skipped(let tier):
      "The tier \(tier.printable) has failed several times and is skipped. Check that it is running; it is tried again soon."
    case .purgeUnsupported(let tier):
      "The store of the tier \(tier.printable) cannot remove entries by source. Conform it to SourcePurgingStore."
    }
  }
}
