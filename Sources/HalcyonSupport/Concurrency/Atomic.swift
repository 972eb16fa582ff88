public import CHalcyonSystemShim

/// A number or a flag that threads read and change without a lock.
///
/// Every access is ordered: what a thread has written before a change, another thread sees after it has read the change.
/// `Synchronization.Atomic` needs iOS 18.
///
/// Unchecked: the memory is accessed by atomic instructions only. Inlined in every module, as ``Lock`` is.
@usableFromInline
package struct Atomic<Value: AtomicValue>: ~Copyable, @unchecked Sendable {
  @usableFromInline let memory: UnsafeMutablePointer<UInt64>

  @inlinable
  package init(_ value: Value) {
    memory = .allocate(capacity: 1)
    memory.initialize(to: value.atomicBits)
  }

  @inlinable
  deinit { memory.deallocate() }

  @inlinable
  package func load() -> Value { Value(atomicBits: halcyon_atomic_load(memory)) }

  @inlinable
  package func store(_ value: Value) { halcyon_atomic_store(memory, value.atomicBits) }

  /// Replaces the value, and returns the one before.
  @inlinable
  package func exchange(_ value: Value) -> Value {
    Value(atomicBits: halcyon_atomic_exchange(memory, value.atomicBits))
  }
}

extension Atomic where Value: FixedWidthInteger {
  /// Adds a number, which may be negative, and returns the sum.
  @inlinable
  @discardableResult
  package func add(_ number: Value) -> Value { Value(atomicBits: halcyon_atomic_add(memory, number.atomicBits)) }
}

/// A value of at most 64 bits.
@usableFromInline
package protocol AtomicValue: Sendable {
  init(atomicBits: UInt64)
  var atomicBits: UInt64 { get }
}

extension Bool: AtomicValue {
  @inlinable
  package init(atomicBits: UInt64) { self = atomicBits != 0 }
  @inlinable
  package var atomicBits: UInt64 { self ? 1 : 0 }
}

extension Int: AtomicValue {
  @inlinable
  package init(atomicBits: UInt64) { self.init(truncatingIfNeeded: atomicBits) }
  @inlinable
  package var atomicBits: UInt64 { UInt64(truncatingIfNeeded: self) }
}

extension UInt64: AtomicValue {
  @inlinable
  package init(atomicBits: UInt64) { self = atomicBits }
  @inlinable
  package var atomicBits: UInt64 { self }
}
