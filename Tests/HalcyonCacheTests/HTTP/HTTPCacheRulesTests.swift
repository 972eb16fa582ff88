import HalcyonHTTP
@_spi(Programs) import HalcyonCache
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct HTTPCacheRulesTests {
  /// When all stored responses were received.
  private static let start = Date(timeIntervalSince1970: 784_111_777)
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private let rules = HTTPCacheRules()

  private static func httpDate(_ offset: Double) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: start + offset)
  }

  private func stored(_ headers: HTTPHeaders, status: Int = 200, dated: Double? = 0) -> EntryMetadata {
    var headers = headers
    if let dated { headers["Date"] = Self.httpDate(dated) }
    return EntryMetadata(status: status, headers: headers, requestDate: Self.start, responseDate: Self.start)
  }

  private func verdict(
    _ headers: HTTPHeaders, after seconds: Double, request: HTTPHeaders = [:], dated: Double? = 0,
    isShared: Bool = false
  ) -> HTTPCacheRules.Verdict {
    HTTPCacheRules(isShared: isShared).verdict(
      on: stored(headers, dated: dated), requestHeaders: request, at: Self.start + seconds)
  }

  private static let lifetimes: [(HTTPHeaders, Double, HTTPCacheRules.Verdict)] = [
    (["Cache-Control": "max-age=3600"], 3599, .fresh),
    (["Cache-Control": "max-age=3600"], 3601, .stale),
    (["Cache-Control": "max-age=3600", "Age": "3600"], 1, .stale),
    (["Cache-Control": "max-age=3600", "Age": "1800, 7"], 1799, .fresh),
    (["Cache-Control": "max-age=3600", "Age": "a lot"], 3599, .fresh),
    (["Cache-Control": "max-age=3600", "Age": "7200.0"], 3599, .fresh),
    (["Cache-Control": "max-age=3600", "Age": "-7200"], 3599, .fresh),
    (["Cache-Control": "max-age=3600", "Age": "99999999999999999999"], 1, .stale),
    (["Cache-Control": "max-age=60, max-age=3600"], 61, .stale),
    (["Cache-Control": "max-age=3600, max-age=60"], 59, .fresh),
    (["Cache-Control": "max-age=abc"], 1, .stale),
    (["Cache-Control": "max-age=-1"], 1, .stale),
    (["Cache-Control": "max-age"], 1, .stale),
    (["Cache-Control": "max-age=\"60\""], 1, .fresh),
    (["Cache-Control": "MAX-AGE=60"], 1, .fresh),
    (["Cache-Control": "foo=\"a, max-age=0\", max-age=60"], 1, .fresh),
    (["Cache-Control": "foo=\"a\\\", max-age=0\", max-age=60"], 1, .fresh),
    (["Cache-Control": "max-age=99999999999"], 1_000_000, .fresh),
    (["Cache-Control": "max-age=99999999999999999999"], 1_000_000, .fresh),
    (["Expires": "0"], 1, .stale),
    (["Expires": "0", "Last-Modified": httpDate(-100_000)], 1, .stale),
    (["Expires": "never", "ETag": "\"a\"", "Last-Modified": httpDate(-100_000)], 1, .stale),
    (["Expires": httpDate(60)], 59, .fresh),
    (["Expires": httpDate(60)], 61, .stale),
    (["Expires": "Sunday, 06-Nov-94 08:50:37 GMT"], 59, .fresh),
    (["Expires": "Sun Nov  6 08:50:37 1994"], 59, .fresh),
    (["Cache-Control": "max-age=0", "Expires": httpDate(3600)], 1, .stale),
    (["Last-Modified": httpDate(-1000)], 99, .fresh),
    (["Last-Modified": httpDate(-1000)], 101, .stale),
    (["Last-Modified": httpDate(-100 * 86_400)], 86_401, .stale),
    (["ETag": "\"a\""], 0, .stale),
    (["Cache-Control": "no-cache, max-age=60", "ETag": "W/\"a\""], 1, .stale),
    (["Cache-Control": "no-cache=\"Set-Cookie\", max-age=60"], 1, .stale),
    (["Cache-Control": "max-age=1, stale-while-revalidate=60"], 2, .staleWhileRevalidate),
    (["Cache-Control": "max-age=1, stale-while-revalidate=60"], 61, .staleWhileRevalidate),
    (["Cache-Control": "max-age=1, stale-while-revalidate=60"], 62, .stale),
    (["Cache-Control": "max-age=1, stale-while-revalidate=60, must-revalidate"], 2, .stale),
  ]

  @Test func `the default lifetime applies to heuristically cacheable statuses without caching fields only`() {
    let rules = HTTPCacheRules(defaultLifetime: .seconds(60), validatorLifetime: .seconds(60))
    let cacheable = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    for status in 200..<600 {
      let (bare, tagged, explicit) = (
        stored([:], status: status), stored(["ETag": "\"1\""], status: status),
        stored(["Cache-Control": "max-age=60"], status: status)
      )
      let isCacheable = cacheable.contains(status)
      #expect(rules.lifetime(of: bare) == (isCacheable ? 60 : 0), "\(status)")
      #expect(rules.lifetime(of: tagged) == (isCacheable ? 60 : 0), "\(status)")
      #expect(rules.lifetime(of: explicit) == 60, "\(status)")
    }
    for headers: HTTPHeaders in [["Pragma": "no-cache"], ["Cache-Control": "private"]] {
      #expect(rules.lifetime(of: stored(headers)) == 0, "\(headers)")
    }
  }

  @Test(arguments: lifetimes)
  func `a response is fresh for its lifetime`(
    headers: HTTPHeaders, seconds: Double, expected: HTTPCacheRules.Verdict
  ) {
    #expect(verdict(headers, after: seconds) == expected)
  }

  private static let validatedLifetimes: [(HTTPHeaders, Double, HTTPCacheRules.Verdict)] = [
    (["ETag": "\"a\""], 299, .fresh),
    (["ETag": "\"a\""], 301, .stale),
    (["ETag": "\"a\"", "Age": "3600"], 299, .fresh),
    (["ETag": "\"a\"", "Cache-Control": "public"], 299, .fresh),
    (["ETag": "\"a\"", "Cache-Control": "max-age=0"], 1, .stale),
    (["ETag": "\"a\"", "Cache-Control": "no-cache"], 1, .stale),
    (["ETag": "\"a\"", "Pragma": "no-cache"], 1, .stale),
    (["ETag": "\"a\"", "Expires": "0"], 1, .stale),
    (["Last-Modified": httpDate(-10)], 299, .fresh),
    (["Last-Modified": httpDate(-10)], 301, .stale),
    (["Last-Modified": httpDate(-10_000)], 999, .fresh),
  ]

  @Test(arguments: validatedLifetimes)
  func `a response with a validator but no lifetime is fresh for the lifetime of the rules after its last validation`(
    headers: HTTPHeaders, seconds: Double, expected: HTTPCacheRules.Verdict
  ) {
    let rules = HTTPCacheRules(validatorLifetime: .seconds(300))
    #expect(rules.verdict(on: stored(headers), at: Self.start + seconds) == expected)
  }

  @Test func `without heuristics a response is fresh as long as it says, or as the rules say of silence`() {
    for (silence, seconds) in [(Duration.zero, 0.0), (.seconds(60), 60)] {
      var rules = HTTPCacheRules(defaultLifetime: silence, validatorLifetime: silence)
      rules.heuristicLifetimeLimit = .zero
      rules.usesSharedMaxAge = true
      for headers: HTTPHeaders in [[:], ["Last-Modified": Self.httpDate(-1_000_000)], ["ETag": "\"a\""]] {
        #expect(rules.lifetime(of: stored(headers, dated: nil)) == seconds, "\(headers)")
      }
      #expect(rules.lifetime(of: stored(["Cache-Control": "max-age=7"])) == 7)
      #expect(rules.lifetime(of: stored(["Cache-Control": "s-maxage=9, max-age=7, private"])) == 9)
      let redirect = EntryMetadata.Redirect(
        status: 301, headers: [:], requestDate: Self.start, responseDate: Self.start)
      #expect(rules.remainingLifetime(of: [redirect], at: Self.start) == seconds)
      #expect(HTTPCacheRules().remainingLifetime(of: [redirect], at: Self.start) == .infinity)
    }
  }

  @Test func `the age includes the time in transit and in other caches`() {
    #expect(verdict(["Cache-Control": "max-age=3600"], after: 1799, dated: -1800) == .fresh)
    #expect(verdict(["Cache-Control": "max-age=3600"], after: 1801, dated: -1800) == .stale)
    #expect(verdict(["Cache-Control": "max-age=3600"], after: 3599, dated: nil) == .fresh)
    #expect(verdict(["Expires": Self.httpDate(60)], after: 59, dated: -30) == .fresh)
    var slow = stored(["Cache-Control": "max-age=60", "Age": "30"])
    slow.requestDate = Self.start - 20
    #expect(rules.age(of: slow, at: Self.start + 5) == 55)
  }

  @Test func `setting the clock back a day makes responses stale, not younger`() {
    #expect(verdict(["Cache-Control": "max-age=3600"], after: -86_400) == .stale)
    #expect(rules.age(of: stored([:]), at: Self.start - 86_400) == nil)
  }

  private static let requests: [(HTTPHeaders, HTTPCacheRules.Verdict)] = [
    ([:], .fresh), (["Cache-Control": "no-cache"], .stale), (["Pragma": "no-cache"], .stale),
    (["Pragma": "no-cache", "Cache-Control": "max-age=60"], .fresh), (["Cache-Control": "max-age=5"], .stale),
    (["Cache-Control": "max-age=10"], .fresh),
    (["Cache-Control": "min-fresh=50"], .fresh), (["Cache-Control": "min-fresh=51"], .stale),
    (["Cache-Control": "min-fresh=49, max-stale"], .fresh), (["Cache-Control": "min-fresh=51, max-stale"], .stale),
  ]

  @Test(arguments: requests)
  func `a request may demand more than freshness`(request: HTTPHeaders, expected: HTTPCacheRules.Verdict) {
    #expect(verdict(["Cache-Control": "max-age=60"], after: 10, request: request) == expected)
  }

  @Test func `a request may accept stale responses`() {
    let old: HTTPHeaders = ["Cache-Control": "max-age=1"]
    #expect(verdict(old, after: 100, request: ["Cache-Control": "max-stale"]) == .fresh)
    #expect(verdict(old, after: 100, request: ["Cache-Control": "max-stale=100"]) == .fresh)
    #expect(verdict(old, after: 100, request: ["Cache-Control": "max-stale=50"]) == .stale)
    let strict: HTTPHeaders = ["Cache-Control": "max-age=1, must-revalidate"]
    #expect(verdict(strict, after: 100, request: ["Cache-Control": "max-stale"]) == .stale)
  }

  @Test func `a stale response may be served on errors if that is allowed`() {
    let now = Self.start + 30
    let tolerant = stored(["Cache-Control": "max-age=1, stale-if-error=60"])
    #expect(rules.allowsStaleIfError(tolerant, at: now))
    #expect(!rules.allowsStaleIfError(tolerant, at: now + 60))
    #expect(!rules.allowsStaleIfError(stored(["Cache-Control": "max-age=1"]), at: now))
    #expect(rules.allowsStaleIfError(stored(["Cache-Control": "max-age=1"]), at: now, isOffline: true))
    let strict = stored(["Cache-Control": "max-age=1, must-revalidate, stale-if-error=60"])
    #expect(!rules.allowsStaleIfError(strict, at: now, isOffline: true))
    let request: HTTPHeaders = ["Cache-Control": "stale-if-error=100"]
    #expect(rules.allowsStaleIfError(stored(["Cache-Control": "max-age=1"]), requestHeaders: request, at: now))
  }

  @Test func `a fresh immutable response needs no revalidation on reload`() {
    let immutable = stored(["Cache-Control": "immutable, max-age=3600"])
    #expect(!rules.isReloadNeeded(immutable, at: Self.start + 1))
    #expect(rules.isReloadNeeded(immutable, at: Self.start + 3601))
    #expect(rules.isReloadNeeded(stored(["Cache-Control": "max-age=3600"]), at: Self.start + 1))
    var rules = rules
    rules.revalidatesImmutable = true
    #expect(rules.isReloadNeeded(immutable, at: Self.start + 1))
  }

  @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
  func `responses with a heuristically cacheable status are storable by default`(status: Int) {
    #expect(rules.isStorable(status: status, headers: [:], requestHeaders: [:]))
    #expect(!rules.isStorable(status: status, headers: ["Cache-Control": "no-store"], requestHeaders: [:]))
    #expect(!rules.isStorable(status: status, headers: [:], requestHeaders: ["Cache-Control": "no-store"]))
  }

  @Test func `other responses are storable only with an explicit lifetime`() {
    #expect(!rules.isStorable(status: 302, headers: [:], requestHeaders: [:]))
    #expect(rules.isStorable(status: 302, headers: ["Cache-Control": "max-age=5"], requestHeaders: [:]))
    #expect(!rules.isStorable(status: 206, headers: ["Cache-Control": "max-age=5"], requestHeaders: [:]))
    #expect(!rules.isStorable(status: 103, headers: ["Cache-Control": "max-age=5"], requestHeaders: [:]))
    for status in [407, 428, 429, 431, 511] {
      #expect(!rules.isStorable(status: status, headers: ["Cache-Control": "max-age=5"], requestHeaders: [:]))
    }
  }

  @Test func `with must-understand a response is storable only if its status is known`() {
    let headers: HTTPHeaders = ["Cache-Control": "no-store, max-age=60, must-understand"]
    #expect(rules.isStorable(status: 200, headers: headers, requestHeaders: [:]))
    #expect(!rules.isStorable(status: 599, headers: headers, requestHeaders: [:]))
    #expect(!rules.isStorable(status: 200, headers: headers, requestHeaders: ["Cache-Control": "no-store"]))
  }

  @Test func `a response with any status is storable if it is public`() {
    let modified = Self.httpDate(-1000)
    let open = stored(["Cache-Control": "public", "Last-Modified": modified], status: 599)
    #expect(rules.isStorable(status: 599, headers: open.headers, requestHeaders: [:]))
    #expect(rules.lifetime(of: open) == 100)
    #expect(rules.lifetime(of: stored(["Last-Modified": modified], status: 599)) == 0)
  }

  @Test func `a shared cache stores fewer responses and uses s-maxage`() {
    let shared = HTTPCacheRules(isShared: true)
    let credentials: HTTPHeaders = ["Authorization": "Basic eA=="]
    #expect(!shared.isStorable(status: 200, headers: ["Cache-Control": "private"], requestHeaders: [:]))
    #expect(!shared.isStorable(status: 200, headers: [:], requestHeaders: credentials))
    #expect(shared.isStorable(status: 200, headers: ["Cache-Control": "public"], requestHeaders: credentials))
    #expect(rules.isStorable(status: 200, headers: ["Cache-Control": "private"], requestHeaders: credentials))
    let both: HTTPHeaders = ["Cache-Control": "max-age=10, s-maxage=1000"]
    #expect(verdict(both, after: 500, isShared: true) == .fresh)
    #expect(verdict(both, after: 500) == .stale)
  }

  @Test(arguments: [("s-maxage=1", true), ("max-age=1, proxy-revalidate", true), ("max-age=1", false)])
  func `a shared cache serves nothing stale that has s-maxage or proxy-revalidate`(control: String, isStrict: Bool) {
    let headers: HTTPHeaders = [
      "Cache-Control": "\(control), stale-while-revalidate=60, stale-if-error=60", "Expires": Self.httpDate(1),
    ]
    let now = Self.start + 30
    for isShared in [true, false] {
      let (rules, forbids) = (HTTPCacheRules(isShared: isShared), isShared && isStrict)
      #expect(rules.verdict(on: stored(headers), at: now) == (forbids ? .stale : .staleWhileRevalidate))
      let patient: HTTPHeaders = ["Cache-Control": "max-stale"]
      #expect(rules.verdict(on: stored(headers), requestHeaders: patient, at: now) == (forbids ? .stale : .fresh))
      for isOffline in [true, false] {
        #expect(rules.allowsStaleIfError(stored(headers), at: now, isOffline: isOffline) == !forbids)
      }
    }
  }

  @Test func `a shared cache stores the response to credentials if it says so in one of three ways`() {
    let shared = HTTPCacheRules(isShared: true)
    let credentials: HTTPHeaders = ["Authorization": "Basic eA=="]
    for (control, isStorable) in [
      ("public", true), ("must-revalidate", true), ("s-maxage=1", true), ("max-age=1", false), ("no-cache", false),
      ("proxy-revalidate", false),
    ] {
      let headers: HTTPHeaders = ["Cache-Control": control]
      #expect(shared.isStorable(status: 200, headers: headers, requestHeaders: credentials) == isStorable)
      #expect(rules.isStorable(status: 200, headers: headers, requestHeaders: credentials))
    }
    let lifetime: HTTPHeaders = ["Cache-Control": "s-maxage=1"]
    #expect(shared.isStorable(status: 302, headers: lifetime, requestHeaders: [:]))
    #expect(!rules.isStorable(status: 302, headers: lifetime, requestHeaders: [:]))
    #expect(rules.isStorable(status: 302, headers: ["Expires": Self.date], requestHeaders: [:]))
    #expect(!rules.isStorable(status: 304, headers: ["Cache-Control": "max-age=5"], requestHeaders: [:]))
  }

  @Test func `no-cache is never served on errors, and the request's stale-if-error precedes that of the response`() {
    let now = Self.start + 30
    let tolerant = stored(["Cache-Control": "max-age=1, stale-if-error=60"])
    #expect(!rules.allowsStaleIfError(tolerant, requestHeaders: ["Cache-Control": "stale-if-error=5"], at: now))
    #expect(rules.allowsStaleIfError(tolerant, at: Self.start + 61))
    #expect(!rules.allowsStaleIfError(tolerant, at: Self.start - 3600))
    for isOffline in [true, false] {
      let strict = stored(["Cache-Control": "no-cache, max-age=1, stale-if-error=60"])
      #expect(!rules.allowsStaleIfError(strict, at: now, isOffline: isOffline))
    }
  }

  @Test func `of repeated directives the most restrictive one applies`() {
    let control = CacheControl([
      "Cache-Control":
        "s-maxage=9, s-maxage=3, stale-while-revalidate=9, stale-while-revalidate=4, stale-if-error=5, stale-if-error=9"
    ])
    #expect(control.sharedMaxAge == 3)
    #expect(control.staleWhileRevalidate == 4)
    #expect(control.staleIfError == 5)
    let request = CacheControl(["Cache-Control": "min-fresh=3, min-fresh=8, min-fresh=1, max-stale=7, max-stale"])
    #expect(request.minFresh == 8)
    #expect(request.maxStale == 7)
    #expect(CacheControl(["Cache-Control": "max-stale, max-stale=7"]).maxStale == 7)
    #expect(CacheControl(["Cache-Control": "max-age=\"6\\0\", x"]).maxAge == 60)
  }

  @Test func `the remaining lifetime is that of the verdict`() {
    let response = stored(["Cache-Control": "max-age=60"])
    #expect(rules.remainingLifetime(of: response, at: Self.start + 10) == 50)
    #expect(rules.remainingLifetime(of: response, at: Self.start + 70) == 0)
    #expect(rules.remainingLifetime(of: response, at: Self.start - 3600) == 0)
    #expect(rules.remainingLifetime(of: stored(["Cache-Control": "no-cache, max-age=60"]), at: Self.start) == 0)
    // A clock that is a little behind does not make a response older.
    #expect(rules.age(of: response, at: Self.start - 60) == 0)
    #expect(rules.age(of: response, at: Self.start - 61) == nil)
  }

  @Test(
    arguments: [
      (["Cache-Control": "max-age=60", "Age": "20"], 40), (["Cache-Control": "max-age=60", "Age": "90"], 0),
      (["Cache-Control": "no-cache, max-age=60"], 0), (["Cache-Control": "no-store, max-age=60"], 0),
      (["ETag": "\"a\""], nil),
    ] as [(HTTPHeaders, Double?)])
  func `a response states the lifetime that is left after its way here, or that it has none`(
    headers: HTTPHeaders, seconds: Double?
  ) {
    #expect(rules.statedLifetime(of: stored(headers)) == seconds)
  }
}
