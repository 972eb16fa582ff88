// What the snippets on logs and metrics may use without declaring it. It is only compiled, never run.

import Halcyon

func any<Value>() -> Value { fatalError() }

var configuration: PipelineConfiguration {
  get { any() }
  set {}
}
