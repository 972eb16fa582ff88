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

public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  (object as? any AssociationOwner)?.associatedObjects[key]
}

public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  (object as? any AssociationOwner)?.associatedObjects[key] = value
}
