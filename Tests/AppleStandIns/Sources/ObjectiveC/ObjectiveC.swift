public struct Selector {
  public init(_ name: String) {}
}

public enum objc_AssociationPolicy {
  case OBJC_ASSOCIATION_RETAIN_NONATOMIC
}

/// An object with associated objects, as every object of Objective-C: the classes of the stand-ins conform.
public protocol AssociationOwner: AnyObject {
  var associatedObjects: [UnsafeRawPointer: Any] { get set }
}

/// An object whose properties can be observed, which has the handlers of all of them.
public protocol KeyValueObservable: AssociationOwner {}

extension KeyValueObservable {
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observation = NSKeyValueObservation()
    observation.onChange = { [unowned self] in changeHandler(self, NSKeyValueObservedChange()) }
    associatedObjects[UnsafeRawPointer(Unmanaged.passUnretained(observation).toOpaque())] = WeakObservation(observation)
    return observation
  }

  /// Called by each observed property after its change.
  public func notifyObservers() {
    for case let observation as WeakObservation in associatedObjects.values { observation.observation?.onChange() }
  }
}

private struct WeakObservation {
  weak var observation: NSKeyValueObservation?
  init(_ observation: NSKeyValueObservation) { self.observation = observation }
}

public struct NSKeyValueObservedChange<Value> {}

/// Observes until it is released.
public final class NSKeyValueObservation {
  fileprivate var onChange: () -> Void = {}
}

public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  (object as? any AssociationOwner)?.associatedObjects[key]
}

public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  (object as? any AssociationOwner)?.associatedObjects[key] = value
}
