#if canImport(CHalcyonGTK)
import CHalcyonGTK

extension GObjectPointer {
  /// The Swift object that this one owns under a key; `nil` if there is none.
  func owned<Value: AnyObject>(under key: GQuark) -> Value? {
    g_object_get_qdata(cast(), key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Retains a Swift object under a key until this one is freed.
  @discardableResult
  func own<Value: AnyObject>(_ value: Value, under key: GQuark) -> Value {
    g_object_set_qdata_full(cast(), key, Unmanaged.passRetained(value).toOpaque()) { value in
      value.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
    }
    return value
  }

  func isInstance(of type: GType) -> Bool { g_type_check_instance_is_a(cast(), type) != 0 }
}
#endif
