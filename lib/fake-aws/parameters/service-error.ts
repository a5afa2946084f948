// What the service answers instead of a result: its own names and words, as a caller of the real one sees them.

/** An error of the service, not of ours: `name` is sent as `__type`. */
export class ServiceError extends Error {
  override readonly name: string;
  /** HTTP status. */
  readonly status: number;

  constructor(name: string, message = "", status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** The error for what a rule of the service does not take. */
export function validationError(message: string): ServiceError {
  return new ServiceError("ValidationException", message);
}

/** The same in the words that the service has for a field of the wrong length or value. */
export function constraintError(field: string, value: string, constraint: string): ServiceError {
  return validationError(
    `1 validation error detected: Value '${value}' at '${field}' failed to satisfy constraint: Member must ${constraint}`,
  );
}
