// Without the trait Memcached the module has no store. The compiler then names the trait where a program uses it.
#if !canImport(CHalcyonMemcached)
/// Needs the trait Memcached.
@available(*, unavailable, message: "Enable the trait Memcached of Halcyon: .package(url: …, traits: [\"Memcached\"])")
public final class MemcachedStore {
  /// Needs the trait Memcached.
  public init(servers: [MemcachedServer], configuration: MemcachedConfiguration = MemcachedConfiguration()) {}
}
#endif
