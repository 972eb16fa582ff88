import HalcyonService

/// The configuration with which a command runs the service.
func configuration(_ environment: [String: String], _ arguments: [String] = []) throws -> ServiceConfiguration {
  guard case .run(let configuration) = try ServiceCommand(arguments: arguments, environment: environment) else {
    throw ConfigurationError.unsigned
  }
  return configuration
}

/// The configuration with which a command runs the service.
func configuration(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ServiceConfiguration {
  try configuration(environment, arguments)
}
