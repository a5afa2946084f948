// The error of reading a YAML text: where, and why. It becomes an OutriggerError where the name of the text is known.

/** A text is not YAML, or not YAML that has a value in JSON. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly reason: string;
  /** Offset in the text. */
  readonly position: number;

  constructor(reason: string, position: number) {
    super(reason);
    this.reason = reason;
    this.position = position;
  }
}
