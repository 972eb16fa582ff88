import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct WorkloadTests {
  @Test func `no transfer starts while the bytes of other sources wait for a decoder`() async throws {
    let workload = Workload(fetchLimit: 10, workLimit: 10, fetchedByteLimit: 100)
    let (fetched, decoded) = (Gate(), Gate())
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await workload.run("a") { ticket in
          try ticket.beginFetch(from: "host")
          try await workload.waitForTransfer()
          ticket.receive(60)
          ticket.receive(60)
          // Bytes of a transfer that may never end hold up nothing.
          try await workload.waitForTransfer()
          try ticket.beginWork()
          fetched.open()
          try await decoded.wait()
        }
      }
      try await fetched.wait()
      group.addTask { try await workload.waitForTransfer() }
      let cancelled = Task { try await workload.waitForTransfer() }
      while workload.waitingTransferCount < 2, !Task.isCancelled { await Task.yield() }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(workload.waitingTransferCount == 1)
      decoded.open()
      try await group.waitForAll()
    }
    #expect(workload.counts == Workload.Counts())
    try await workload.waitForTransfer()
  }

  @Test func `the loads that are worked on have no place in the queue`() async throws {
    let workload = Workload(fetchLimit: 2, workLimit: 3, fetchedByteLimit: 100)
    try await workload.run("a") { a in
      try await workload.run("b") { b in
        try await workload.run("c") { c in
          try a.beginFetch(from: "host")
          try b.beginFetch(from: "host")
          #expect(throws: SourceError.tooManyWaiting) { try c.beginFetch(from: "host") }
          try c.beginFetch(from: "other")
          for ticket in [a, b, c] { try ticket.beginWork() }
          try await workload.run("d") { d in #expect(throws: SourceError.tooManyWaiting) { try d.beginWork() } }
        }
      }
    }
  }

  @Test func `requests for one load count once, until the last one has left`() async throws {
    let workload = Workload(fetchLimit: 1, workLimit: 1, fetchedByteLimit: 100)
    try await workload.run("a") { first in
      try await workload.run("a") { second in
        try first.beginFetch(from: "host")
        try second.beginFetch(from: "host")
        #expect(workload.counts == Workload.Counts(requests: 2, fetching: 1))
        try first.beginWork()
        #expect(second.isWorking && workload.counts == Workload.Counts(requests: 2, working: 1))
      }
      #expect(workload.counts == Workload.Counts(requests: 1, working: 1))
    }
    #expect(workload.counts == Workload.Counts())
  }

  @Test func `too many loads for one host, or for the decoders, are refused`() async throws {
    let workload = Workload(fetchLimit: 1, workLimit: 1, fetchedByteLimit: 100)
    try await workload.run("a") { first in
      try first.beginFetch(from: "host")
      try await workload.run("b") { second in
        #expect(throws: SourceError.tooManyWaiting) { try second.beginFetch(from: "host") }
        try second.beginFetch(from: "other")
        try first.beginWork()
        #expect(throws: SourceError.tooManyWaiting) { try second.beginWork() }
        // As long as the decoders have too much to do, nothing is fetched for them.
        try await workload.run("c") { third in
          #expect(throws: SourceError.tooManyWaiting) { try third.beginFetch(from: "third") }
        }
      }
    }
    #expect(workload.counts == Workload.Counts())
  }
}
