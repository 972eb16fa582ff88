#if canImport(CHalcyonGTK)
public import CHalcyonGTK

/// The type of an argument of a signal, as a closure of `connect` takes it: a pointer to an object, `Int` (also for flags
/// and enumerations), `Double`, `Bool`, `String`, or an optional of these.
public protocol SignalValue {
  /// The value; `nil` if it has another type, or is `NULL`.
  init?(signalValue value: UnsafePointer<GValue>)
}

extension SignalValue {
  /// Takes the next argument of a signal.
  static func next(of arguments: inout SignalArguments) -> Self {
    guard let first = arguments.rest.popFirst() else {
      preconditionFailure("the signal “\(arguments.signal)” has fewer arguments than the closure")
    }
    let value = withUnsafePointer(to: first) { Self(signalValue: $0) }
    guard let value else {
      preconditionFailure("an argument of the signal “\(arguments.signal)” is no \(Self.self), or NULL")
    }
    return value
  }
}

extension OpaquePointer: SignalValue {
  /// An object, a boxed value or a pointer.
  public init?(signalValue value: UnsafePointer<GValue>) {
    let pointer =
      switch value.fundamentalType {
      case .object, .interface: g_value_get_object(value)
      case .boxed: g_value_get_boxed(value)
      case .pointer: g_value_get_pointer(value)
      case .parameter: gpointer(g_value_get_param(value))
      default: nil as gpointer?
      }
    self.init(pointer)
  }
}

extension UnsafeMutablePointer: SignalValue {
  /// An object, a boxed value or a pointer.
  public init?(signalValue value: UnsafePointer<GValue>) {
    guard let pointer = OpaquePointer(signalValue: value) else { return nil }
    self.init(pointer)
  }
}

extension Int: SignalValue {
  /// A whole number, an enumeration or flags.
  public init?(signalValue value: UnsafePointer<GValue>) {
    switch value.fundamentalType {
    case .int: self = Int(g_value_get_int(value))
    case .uint: self = Int(g_value_get_uint(value))
    case .long: self = g_value_get_long(value)
    case .int64: self = Int(g_value_get_int64(value))
    case .ulong: self.init(exactly: g_value_get_ulong(value))
    case .uint64: self.init(exactly: g_value_get_uint64(value))
    case .enumeration: self = Int(g_value_get_enum(value))
    case .flags: self = Int(g_value_get_flags(value))
    default: return nil
    }
  }
}

extension Double: SignalValue {
  /// A floating-point number.
  public init?(signalValue value: UnsafePointer<GValue>) {
    switch value.fundamentalType {
    case .double: self = g_value_get_double(value)
    case .float: self = Double(g_value_get_float(value))
    default: return nil
    }
  }
}

extension Bool: SignalValue {
  /// A truth value.
  public init?(signalValue value: UnsafePointer<GValue>) {
    guard value.fundamentalType == .boolean else { return nil }
    self = g_value_get_boolean(value) != 0
  }
}

extension Bool {
  /// Makes this the result of a signal, if that has a truth value as its result.
  func store(in result: UnsafeMutablePointer<GValue>) {
    if UnsafePointer(result).fundamentalType == .boolean { g_value_set_boolean(result, self ? 1 : 0) }
  }
}

extension String: SignalValue {
  /// A text.
  public init?(signalValue value: UnsafePointer<GValue>) {
    guard value.fundamentalType == .string, let text = g_value_get_string(value) else { return nil }
    self.init(cString: text)
  }
}

extension Optional: SignalValue where Wrapped: SignalValue {
  /// The value, or `nil` for `NULL`.
  public init?(signalValue value: UnsafePointer<GValue>) { self = Wrapped(signalValue: value) }
}

/// GLib's fundamental types; its macros are not imported.
private enum FundamentalType: GType {
  case interface = 8
  case boolean = 20
  case int = 24
  case uint = 28
  case long = 32
  case ulong = 36
  case int64 = 40
  case uint64 = 44
  case enumeration = 48
  case flags = 52
  case float = 56
  case double = 60
  case string = 64
  case pointer = 68
  case boxed = 72
  case parameter = 76
  case object = 80
}

extension UnsafePointer<GValue> {
  fileprivate var fundamentalType: FundamentalType? { FundamentalType(rawValue: g_type_fundamental(pointee.g_type)) }
}
#endif
