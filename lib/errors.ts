// The one error of the product: a closed code, the place it points at, and a message that says the way out.
// Which HTTP status or review outcome a code becomes is decided in lib/admission/outcome.ts, not here.

/** Every way in which something can be wrong. Codes are stable: logs, metrics and exit codes are made from them. */
export type ErrorCode =
  // the caller's request
  | "review-invalid"
  | "review-too-large"
  | "content-type-unsupported"
  | "method-unsupported"
  | "token-unknown"
  // the pod's author
  | "annotation-invalid"
  | "template-unknown"
  | "pod-invalid"
  // the operator: what stands in the source tree
  | "tree-invalid"
  | "config-invalid"
  | "values-invalid"
  | "mesh-invalid"
  | "template-invalid"
  | "template-render"
  | "overlay-invalid"
  | "yaml-invalid"
  | "release-unsupported"
  // the way there, and what is kept there
  | "store-unavailable"
  | "store-denied"
  | "store-corrupt"
  | "store-full"
  | "parameter-exists"
  | "parameter-refused"
  | "tree-half-pushed"
  | "tree-changed"
  | "channel-unknown"
  | "channel-moved"
  | "channel-pinned"
  | "release-unknown"
  | "cluster-invalid"
  | "deadline-exceeded"
  // AWS and the clusters that are registered
  | "aws-denied"
  | "aws-unavailable"
  | "cluster-unknown"
  | "cluster-unreachable"
  | "cluster-denied"
  | "cluster-conflict"
  | "cluster-refused"
  | "endpoint-unfit"
  // the terminal
  | "usage"
  | "manifest-invalid"
  | "listen-failed"
  // ourselves
  | "patch-check-failed";

export interface ErrorDetails {
  /** Field path (`spec.containers[0].name`), annotation key, file or parameter that the error is about. */
  readonly path?: string;
  /** 1-based line in the text at `path`. */
  readonly line?: number;
  /** 1-based column in the text at `path`. */
  readonly column?: number;
  readonly cause?: unknown;
}

/**
 * Message style: `Cannot render template "sidecar": helper "foo" is not known (line 12)`. Sentence case, no full
 * stop, names the thing and the way out, never pod contents or secrets.
 */
export class OutriggerError extends Error {
  override readonly name = "OutriggerError";
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.path = details.path;
    this.line = details.line;
    this.column = details.column;
  }
}
