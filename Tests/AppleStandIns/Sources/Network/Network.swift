public import Dispatch

/// A network that is always the same one.
public final class NWPathMonitor: Sendable {
  public var currentPath: NWPath { NWPath() }

  public init() {}
  public func start(queue: DispatchQueue) {}
}

public struct NWPath: Sendable {
  public var isConstrained: Bool { false }
}
