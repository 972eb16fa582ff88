import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

@Suite(.unitTest)
struct CircuitBreakerTests {
  @Test func `a breaker opens after failures in a row, and closes after a trial`() {
    var breaker = CircuitBreaker(failureLimit: 2, retryInterval: .seconds(1))
    breaker.recordFailure(at: .zero)
    breaker.recordSuccess()
    breaker.recordFailure(at: .zero)
    #expect(breaker.permission(at: .zero) == .granted && !breaker.isOpen)
    breaker.recordFailure(at: .zero)
    #expect(breaker.isOpen && breaker.permission(at: .milliseconds(999)) == .refused)
    breaker.recordSuccess()
    #expect(breaker.isOpen)
    #expect(breaker.permission(at: .seconds(1)) == .trial && breaker.permission(at: .seconds(1)) == .refused)
    breaker.recordFailure(at: .seconds(1))
    #expect(breaker.permission(at: .seconds(2)) == .refused && breaker.permission(at: .seconds(3)) == .trial)
    // The outcome of that trial is never recorded.
    #expect(breaker.permission(at: .seconds(5)) == .trial)
    breaker.recordSuccess()
    #expect(breaker.permission(at: .seconds(5)) == .granted && breaker.openCount == 1)
  }
}
