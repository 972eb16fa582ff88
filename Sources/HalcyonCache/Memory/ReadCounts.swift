/// What became of the reads of one shard.
struct ReadCounts: Sendable {
  var hits = 0
  /// Those of the hits that found an evicted image in use.
  var inUse = 0
  var absent = 0
  var expired = 0
}
