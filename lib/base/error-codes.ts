// Every kind of fault: its code, whose fault it is, and what its page in docs/reference/errors.md says. lib/serving makes the
// webhook's outcomes of the fault, and cli the exit codes.

/**
 * Whose fault an error is.
 *
 * | fault          | what is wrong                                                                                   |
 * |----------------|-------------------------------------------------------------------------------------------------|
 * | `caller`       | the request to the webhook; lib/serving/admission/outcome.ts has the HTTP status of each code   |
 * | `token`        | the token in the webhook's URL                                                                  |
 * | `url`          | a parameter in the webhook's URL                                                                |
 * | `author`       | the pod, as its author wrote it                                                                 |
 * | `operator`     | what an operator wrote or stored: templates, values, records, a manifest                        |
 * | `circumstance` | nothing that anyone wrote: something is missing, held, not reachable or not allowed             |
 * | `outage`       | nothing that anyone wrote, and a retry can succeed                                              |
 * | `user`         | the command line                                                                                |
 * | `bug`          | Outrigger itself                                                                                |
 */
export type Fault = "caller" | "token" | "url" | "author" | "operator" | "circumstance" | "outage" | "user" | "bug";

interface ErrorKind {
  readonly fault: Fault;
  /** The texts of docs/reference/errors.md, in Markdown, whose links start there. The bundles of functions leave them out. */
  readonly doc: { readonly cause: string; readonly fix: string };
}

/** Codes are stable: logs, metrics and the publisher's answers have them. */
export const errorKinds = {
  // The caller's request
  "review-invalid": {
    fault: "caller",
    doc: {
      cause: "the request is not an AdmissionReview that Outrigger can answer",
      fix: "call the webhook from an API server; check what else calls the URL",
    },
  },
  "review-too-large": {
    fault: "caller",
    doc: {
      cause: "the request, or the answer to it, is larger than Lambda takes",
      fix: "make the pod smaller: an API server's own limit is lower in most cases",
    },
  },
  "content-type-unsupported": {
    fault: "caller",
    doc: { cause: "the request is not `application/json`", fix: "call the webhook from an API server" },
  },
  "method-unsupported": {
    fault: "caller",
    doc: { cause: "the request is not a POST", fix: "call the webhook from an API server" },
  },
  "token-unknown": {
    fault: "token",
    doc: {
      cause: "the URL's token is not, or no longer, a token of a registered cluster",
      fix: "`outrigger check --section registration --cluster NAME`, and register the cluster again",
    },
  },
  "url-invalid": {
    fault: "url",
    doc: {
      cause: "a parameter of the webhook's URL cannot be used",
      fix: "register the cluster again, or correct the URL that you wrote yourself",
    },
  },
  // The pod
  "annotation-invalid": {
    fault: "author",
    doc: {
      cause: "an annotation or label of the pod has a value that it cannot have",
      fix: "correct it in the workload's pod template; the message names it and [what it may be](annotations.md)",
    },
  },
  "template-unknown": {
    fault: "author",
    doc: {
      cause: "`inject.istio.io/templates` names a template or alias that does not exist",
      fix: "correct the annotation, or publish the template",
    },
  },
  "pod-invalid": {
    fault: "author",
    doc: {
      cause: "the pod, or what injection makes of it, is not valid for an API server",
      fix: "correct the field that the message names",
    },
  },
  // The source tree
  "tree-invalid": {
    fault: "operator",
    doc: {
      cause: "the source tree, or a file in it, cannot be used; or tests of the tree fail",
      fix: "run `outrigger lint` and `outrigger test`",
    },
  },
  "tag-unclosed": {
    fault: "operator",
    doc: {
      cause: "a text that is to be stored has a tag without an end, or a stored one has",
      fix: "close the tag on the line that the message names",
    },
  },
  "config-invalid": {
    fault: "operator",
    doc: {
      cause: "a key of `config` is unknown or has a wrong value",
      fix: "correct the line that the message names; [all keys](config.md)",
    },
  },
  "values-invalid": {
    fault: "operator",
    doc: {
      cause: "a value is unknown, has the wrong type or does not match the schema",
      fix: "correct the line that the message names; [all values](values.md)",
    },
  },
  "mesh-invalid": {
    fault: "operator",
    doc: {
      cause: "the mesh config or a ProxyConfig resource is invalid",
      fix: "correct the field that the message names",
    },
  },
  "template-invalid": {
    fault: "operator",
    doc: {
      cause: "a template or partial does not parse, or uses what is not allowed",
      fix: "correct the line that the message names; [typical mistakes](../mistakes.md)",
    },
  },
  "template-render": {
    fault: "operator",
    doc: {
      cause: "a template failed for a pod",
      fix: "make the template handle this pod; add the pod as a sample so that publishing tries it",
    },
  },
  "overlay-invalid": {
    fault: "operator",
    doc: {
      cause: "what a template renders is not a partial pod",
      fix: "correct the template: the message names the field",
    },
  },
  "yaml-invalid": {
    fault: "operator",
    doc: { cause: "a file is not YAML", fix: "correct the line that the message names" },
  },
  "release-unsupported": {
    fault: "operator",
    doc: {
      cause: "a compiled release has a format that this version does not read",
      fix: "publish again with the deployed version",
    },
  },
  // Parameter Store and its contents
  "store-unavailable": {
    fault: "outage",
    doc: {
      cause: "Parameter Store does not answer, or throttles",
      fix: "wait and retry; [When Parameter Store fails](../outages.md)",
    },
  },
  "store-denied": {
    fault: "circumstance",
    doc: {
      cause: "the role or your principal may not read or write these parameters",
      fix: "attach the policy that the message names (`outrigger print policy`)",
    },
  },
  "store-corrupt": {
    fault: "operator",
    doc: {
      cause: "a parameter of the derived part has contents that cannot be read",
      fix: "`outrigger repair`, which writes it again",
    },
  },
  "store-full": {
    fault: "operator",
    doc: {
      cause: "the release is larger than the parameters that hold it",
      fix: "remove templates or values, or set `tier: Advanced`",
    },
  },
  "parameter-exists": {
    fault: "circumstance",
    doc: { cause: "another writer made the parameter at the same time", fix: "run the command again" },
  },
  "parameter-refused": {
    fault: "operator",
    doc: {
      cause: "Parameter Store does not take a text: too large, or with two braces in a row",
      fix: "split the file, or write the text differently, as the message says",
    },
  },
  "parameter-downgrade": {
    fault: "operator",
    doc: {
      cause: "an advanced parameter was to become a standard one, which Parameter Store refuses",
      fix: "nothing to do: it is written as an advanced one; delete it to make it a standard one again",
    },
  },
  "tree-half-pushed": {
    fault: "circumstance",
    doc: {
      cause: "a push is not complete: another person's, or one that was interrupted",
      fix: "wait, or push again with `--force`",
    },
  },
  "tree-changed": {
    fault: "operator",
    doc: {
      cause:
        "the same entry was edited on both sides since the last pull or push; or `diff --exit-code` found differences",
      fix: "`outrigger pull`, merge, and push again",
    },
  },
  "channel-unknown": {
    fault: "circumstance",
    doc: { cause: "there is no channel of that name", fix: "`outrigger channel` lists the channels" },
  },
  "channel-moved": {
    fault: "circumstance",
    doc: { cause: "another person moved the channel since you looked", fix: "look again, then repeat the command" },
  },
  "channel-pinned": {
    fault: "circumstance",
    doc: {
      cause: "the channel is pinned, by a rollback or by hand",
      fix: "`outrigger pin --off`, or `--unpin` with the command",
    },
  },
  "edit-held": {
    fault: "circumstance",
    doc: {
      cause: "publishing the source tree would do to pods what the channel holds for a person",
      fix: "look at `outrigger diff CHANNEL source`, then run the `outrigger publish --accept` that the message names, or revert the edit",
    },
  },
  "guardrail-violated": {
    fault: "operator",
    doc: {
      cause: "the templates add to a pod what the deployment's [guardrails](../guardrails.md) do not admit",
      fix: "change the template at the line that the message names, or the setting `guardrails`, and deploy",
    },
  },
  "release-unknown": {
    fault: "circumstance",
    doc: {
      cause: "there is no release of that digest, or it was deleted after its time",
      fix: "`outrigger releases` lists the releases",
    },
  },
  "cluster-invalid": {
    fault: "operator",
    doc: { cause: "a cluster's record would not be valid", fix: "correct what the message names" },
  },
  "deadline-exceeded": {
    fault: "circumstance",
    doc: {
      cause: "what the request needed did not arrive within the API server's timeout",
      fix: "see [the alarm for latency](../runbooks/injection.md#latency); raise `--timeout` of the webhook",
    },
  },
  // AWS and registered clusters
  "aws-denied": {
    fault: "circumstance",
    doc: {
      cause: "AWS refuses the credentials or the call",
      fix: "sign in again, or attach the policy that the message names",
    },
  },
  "aws-unavailable": {
    fault: "circumstance",
    doc: {
      cause: "AWS cannot be reached, no Region is given, or what AWS ran has failed",
      fix: "check `--region`, `--profile` and the network",
    },
  },
  "cluster-unknown": {
    fault: "circumstance",
    doc: {
      cause: "there is no such cluster, registration, workload or context",
      fix: "check the name; `outrigger clusters` lists registrations",
    },
  },
  "cluster-unreachable": {
    fault: "circumstance",
    doc: {
      cause: "the API server of the cluster does not answer",
      fix: "check the network, `HTTPS_PROXY` and the endpoint's allowed addresses",
    },
  },
  "cluster-denied": {
    fault: "circumstance",
    doc: {
      cause: "the API server does not accept the principal, or does not allow the call",
      fix: "create the access entry and apply `outrigger print rbac`, as the message says",
    },
  },
  "cluster-conflict": {
    fault: "circumstance",
    doc: {
      cause: "another tool manages an object, or changed it at the same time",
      fix: "let one tool own the object; [Take over from another webhook](../tasks/move-from-istio.md#from-another-products-webhook)",
    },
  },
  "cluster-refused": {
    fault: "circumstance",
    doc: { cause: "the API server rejected an object", fix: "correct what the message names" },
  },
  "cluster-kind-unknown": {
    fault: "circumstance",
    doc: {
      cause: "the cluster's API server does not serve a kind, such as the policies of the safety net",
      fix: "upgrade Kubernetes, or do without what needs the kind",
    },
  },
  "cluster-list-expired": {
    fault: "circumstance",
    doc: { cause: "the API server did not keep a list while its pages were read", fix: "run it again" },
  },
  "cluster-webhook-failed": {
    fault: "circumstance",
    doc: {
      cause: "the API server could not call a webhook, ours or another's",
      fix: "repair the webhook that the message names",
    },
  },
  "endpoint-unfit": {
    fault: "circumstance",
    doc: {
      cause: "the webhook's URL does not answer as it must, so no cluster is pointed at it",
      fix: "follow the message; `outrigger check` shows every step",
    },
  },
  interrupted: {
    fault: "circumstance",
    doc: { cause: "the command was stopped, and restored what it had changed", fix: "run it again" },
  },
  // What a command was asked to look for, and found
  findings: {
    fault: "operator",
    doc: { cause: "the command looked for faults or differences, and found some", fix: "see its output" },
  },
  // The terminal
  usage: { fault: "user", doc: { cause: "the command line is wrong", fix: "`outrigger COMMAND --help`" } },
  "manifest-invalid": {
    fault: "operator",
    doc: {
      cause: "a manifest cannot be read or written, or holds no pod",
      fix: "correct the file that the message names",
    },
  },
  "listen-failed": {
    fault: "circumstance",
    doc: { cause: "the local server cannot listen on its address", fix: "choose another `--port`" },
  },
  // Outrigger itself
  "patch-check-failed": {
    fault: "bug",
    doc: {
      cause: "the patch does not give the pod that it should: a fault of Outrigger",
      fix: "report it with the pod; `failurePolicy` decides about the pod meanwhile",
    },
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

/** The code of an error. */
export type ErrorCode = keyof typeof errorKinds;

/** The codes of some faults. */
export type CodeOf<F extends Fault> = {
  [Code in ErrorCode]: (typeof errorKinds)[Code]["fault"] extends F ? Code : never;
}[ErrorCode];

/**
 * Returns whose fault an error with this code is. A code that this version does not know, which a publisher of another
 * version can answer with, is the operator's.
 *
 * @example
 * ```ts
 * faultOf("pod-invalid") // => "author"
 * ```
 */
export function faultOf(code: ErrorCode): Fault {
  return Object.hasOwn(errorKinds, code) ? errorKinds[code].fault : "operator";
}
