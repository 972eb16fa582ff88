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

/// The results of closures of `connect`.
enum SignalResult {
  /// Whether a closure with this result can be connected to a signal with a result of this type.
  static func canStore(_ result: Any.Type, in type: GType) -> Bool {
    let wrapped = (result as? any OptionalType.Type)?.wrapped ?? result
    if wrapped == Void.self { return true }
    switch FundamentalType(rawValue: g_type_fundamental(type)) {
    case .boolean: return wrapped == Bool.self
    case .int, .uint, .long, .ulong, .int64, .uint64, .enumeration, .flags:
      return wrapped is any BinaryInteger.Type || wrapped is any SignalFlags.Type
    case .float, .double: return wrapped is any BinaryFloatingPoint.Type
    case .string: return wrapped == String.self
    case .pointer, .boxed, .parameter, .object, .interface: return wrapped is any GObjectPointer.Type
    // The signal has no result, or one of a type that no closure returns.
    case nil: return type == GType(1 << 2) || type == 0
    }
  }

  /// Makes what a closure has returned the result of its signal, unless it is `nil` or nothing.
  static func store(_ returned: Any, in result: UnsafeMutablePointer<GValue>) {
    switch UnsafePointer(result).fundamentalType {
    case .boolean: if let value = returned as? Bool { g_value_set_boolean(result, value ? 1 : 0) }
    case .int: if let value = integer(returned) { g_value_set_int(result, gint(clamping: value)) }
    case .uint: if let value = integer(returned) { g_value_set_uint(result, guint(clamping: value)) }
    case .long: if let value = integer(returned) { g_value_set_long(result, value) }
    case .ulong: if let value = integer(returned) { g_value_set_ulong(result, gulong(clamping: value)) }
    case .int64: if let value = integer(returned) { g_value_set_int64(result, gint64(value)) }
    case .uint64: if let value = integer(returned) { g_value_set_uint64(result, guint64(clamping: value)) }
    case .enumeration: if let value = integer(returned) { g_value_set_enum(result, gint(clamping: value)) }
    case .flags: if let value = integer(returned) { g_value_set_flags(result, guint(clamping: value)) }
    case .float: if let value = returned as? any BinaryFloatingPoint { g_value_set_float(result, Float(value)) }
    case .double: if let value = returned as? any BinaryFloatingPoint { g_value_set_double(result, Double(value)) }
    case .string: if let value = returned as? String { g_value_set_string(result, value) }
    case .pointer: if let value = pointer(returned) { g_value_set_pointer(result, value) }
    case .boxed: if let value = pointer(returned) { g_value_take_boxed(result, value) }
    case .object, .interface: if let value = pointer(returned) { g_value_take_object(result, value) }
    case .parameter:
      if let value = pointer(returned) { g_value_take_param(result, value.assumingMemoryBound(to: GParamSpec.self)) }
    case nil: break
    }
  }

  private static func integer(_ returned: Any) -> Int? {
    if let flags = returned as? any SignalFlags { return Int(flags.rawValue) }
    return (returned as? any BinaryInteger).map { Int(clamping: $0) }
  }

  private static func pointer(_ returned: Any) -> gpointer? {
    (returned as? any GObjectPointer).map { gpointer($0.opaque) }
  }
}

/// Flags of GTK that are the result of a signal. The compiler records which protocols a type of C has only if they are ours.
private protocol SignalFlags {
  var rawValue: UInt32 { get }
}

extension GdkDragAction: SignalFlags {}

private protocol OptionalType {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
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
