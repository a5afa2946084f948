// The code of every error, under whose fault it is. lib/serving makes the webhook's outcomes of the fault, cli the exit codes, and
// docs/reference/errors.md is made of the documentation here.

interface ErrorKind {
  /** Texts in Markdown, whose links start in docs/reference. The bundles of functions leave them out. */
  readonly doc: { readonly cause: string; readonly fix: string };
}

/**
 * The kinds of errors, by whose fault they are. Codes are stable: logs, metrics and the publisher's answers contain
 * them.
 */
export const errorKinds = {
  /** The request to the webhook is wrong. lib/serving/admission/outcome.ts has the HTTP status of each code. */
  caller: {
    "review-invalid": {
      doc: {
        cause: "the request is not an AdmissionReview that Outrigger can answer",
        fix: "call the webhook from an API server; check what else calls the URL",
      },
    },
    "review-too-large": {
      doc: {
        cause: "the request, or the answer to it, is larger than Lambda takes",
        fix: "make the pod smaller: an API server's own limit is lower in most cases",
      },
    },
    "content-type-unsupported": {
      doc: { cause: "the request is not `application/json`", fix: "call the webhook from an API server" },
    },
    "method-unsupported": { doc: { cause: "the request is not a POST", fix: "call the webhook from an API server" } },
  },
  /** The token in the webhook's URL is wrong. */
  token: {
    "token-unknown": {
      doc: {
        cause: "the URL's token is not, or no longer, a token of a registered cluster",
        fix: "`outrigger check --section registration --cluster NAME`, and register the cluster again",
      },
    },
  },
  /** A parameter in the webhook's URL is wrong. */
  url: {
    "url-invalid": {
      doc: {
        cause: "a parameter of the webhook's URL cannot be used",
        fix: "register the cluster again, or correct the URL that you wrote yourself",
      },
    },
  },
  /** The pod is wrong as its author wrote it. */
  author: {
    "annotation-invalid": {
      doc: {
        cause:
          "an annotation of the pod has a value that it cannot have, or with which an API server rejects the injected pod ([whose fault](#whose-fault-it-is))",
        fix: "correct it in the workload's pod template; the message names it and [what it may be](annotations.md)",
      },
    },
    "template-unknown": {
      doc: {
        cause: "`inject.istio.io/templates` names a template or alias that does not exist",
        fix: "correct the annotation, or publish the template",
      },
    },
    "pod-invalid": {
      doc: {
        cause:
          "the pod is not valid, or has a label or a field of an injected container with which an API server rejects the injected pod ([whose fault](#whose-fault-it-is))",
        fix: "correct the field that the message names",
      },
    },
  },
  /**
   * An operator wrote or stored something wrong: templates, values, records, a manifest. A command that finds what it
   * was asked to look for fails with these codes too.
   */
  operator: {
    "tree-invalid": {
      doc: {
        cause: "the source tree, or a file in it, cannot be used; or tests of the tree fail",
        fix: "run `outrigger lint` and `outrigger test`",
      },
    },
    "tag-unclosed": {
      doc: {
        cause: "a text that is to be stored has a tag without an end, or a stored one has",
        fix: "close the tag on the line that the message names",
      },
    },
    "config-invalid": {
      doc: {
        cause: "a key of `config` is unknown or has a wrong value",
        fix: "correct the line that the message names; [all keys](config.md)",
      },
    },
    "values-invalid": {
      doc: {
        cause: "a value is unknown, has the wrong type or does not match the schema",
        fix: "correct the line that the message names; [all values](values.md)",
      },
    },
    "mesh-invalid": {
      doc: {
        cause: "the mesh config or a ProxyConfig resource is invalid",
        fix: "correct the field that the message names",
      },
    },
    "template-invalid": {
      doc: {
        cause: "a template or partial does not parse, or uses what is not allowed",
        fix: "correct the line that the message names; [typical mistakes](../mistakes.md)",
      },
    },
    "template-render": {
      doc: {
        cause: "a template failed for a pod",
        fix: "make the template handle this pod; add the pod as a sample so that publishing tries it",
      },
    },
    "overlay-invalid": {
      doc: {
        cause:
          "what a template renders cannot be a part of a Pod, or an API server rejects the pod with it ([whose fault](#whose-fault-it-is))",
        fix: "correct the template or value that the message names; `failurePolicy` decides about the pod meanwhile",
      },
    },
    "yaml-invalid": { doc: { cause: "a file is not YAML", fix: "correct the line that the message names" } },
    "release-unsupported": {
      doc: {
        cause: "a compiled release has a format that this version does not read",
        fix: "publish again with the deployed version",
      },
    },
    "store-corrupt": {
      doc: {
        cause: "a parameter of the derived part has contents that cannot be read",
        fix: "`outrigger repair`, which writes it again",
      },
    },
    "store-full": {
      doc: {
        cause: "what is served, or a release, is larger than an object of the bucket may be",
        fix: "remove channels that no cluster uses, samples, templates or values",
      },
    },
    "parameter-refused": {
      doc: {
        cause: "Parameter Store does not take a text: too large, or with two braces in a row",
        fix: "split the file, or write the text differently, as the message says",
      },
    },
    "parameter-downgrade": {
      doc: {
        cause: "an advanced parameter was to become a standard one, which Parameter Store refuses",
        fix: "nothing to do: it is written as an advanced one; delete it to make it a standard one again",
      },
    },
    "tree-changed": {
      doc: {
        cause:
          "the same entry was edited on both sides since the last pull or push; or `diff --exit-code` found differences",
        fix: "`outrigger pull`, merge, and push again",
      },
    },
    "guardrail-violated": {
      doc: {
        cause: "the templates add to a pod what the deployment's [guardrails](../guardrails.md) do not admit",
        fix: "change the template at the line that the message names, or the setting `guardrails`, and deploy",
      },
    },
    "cluster-invalid": {
      doc: { cause: "a cluster's record would not be valid", fix: "correct what the message names" },
    },
    findings: { doc: { cause: "the command looked for faults or differences, and found some", fix: "see its output" } },
    "manifest-invalid": {
      doc: {
        cause: "a manifest cannot be read or written, or holds no pod",
        fix: "correct the file that the message names",
      },
    },
  },
  /** Nobody wrote anything wrong: something is missing, held, not reachable or not allowed. */
  circumstance: {
    "store-denied": {
      doc: {
        cause: "the role or your principal may not read or write these parameters",
        fix: "attach the policy that the message names (`outrigger print policy`)",
      },
    },
    "parameter-exists": {
      doc: { cause: "another writer made the parameter at the same time", fix: "run the command again" },
    },
    "tree-half-pushed": {
      doc: {
        cause: "a push is not complete: another person's, or one that was interrupted",
        fix: "wait, or push again with `--force`",
      },
    },
    "channel-unknown": {
      doc: { cause: "there is no channel of that name", fix: "`outrigger channel` lists the channels" },
    },
    "channel-moved": {
      doc: { cause: "another person moved the channel since you looked", fix: "look again, then repeat the command" },
    },
    "channel-pinned": {
      doc: {
        cause: "the channel is pinned, by a rollback or by hand",
        fix: "`outrigger pin --off`, or `--unpin` with the command",
      },
    },
    "edit-held": {
      doc: {
        cause:
          "publishing the source tree, or promoting a channel, would do to pods what the channel holds for a person",
        fix: "look at `outrigger diff CHANNEL source`, then run the command with `--accept` that the message names, or revert the edit",
      },
    },
    "release-unknown": {
      doc: {
        cause: "there is no release of that digest, or it was deleted after its time",
        fix: "`outrigger releases` lists the releases",
      },
    },
    "deadline-exceeded": {
      doc: {
        cause: "what the request needed did not arrive within the API server's timeout",
        fix: "see [the alarm for latency](../runbooks/injection.md#latency); raise `--timeout` of the webhook",
      },
    },
    "request-unknown": {
      doc: {
        cause: "the publish function is asked for something that it does not know: an action, a field or its value",
        fix: "correct what the message names; a command of another version than the deployed one says `version-mismatch`",
      },
    },
    "version-mismatch": {
      doc: {
        cause:
          "the command and the deployed publish function are of different versions, and one does not know what the other says",
        fix: "`outrigger deploy`, or install the version that is deployed: the message says which of the two is older",
      },
    },
    "aws-denied": {
      doc: {
        cause: "AWS refuses the credentials or the call",
        fix: "sign in again, or attach the policy that the message names",
      },
    },
    "aws-unavailable": {
      doc: {
        cause: "AWS cannot be reached, no Region is given, or what AWS ran has failed",
        fix: "check `--region`, `--profile` and the network",
      },
    },
    "cluster-unknown": {
      doc: {
        cause: "there is no such cluster, registration, workload or context",
        fix: "check the name; `outrigger clusters` lists registrations",
      },
    },
    "cluster-unreachable": {
      doc: {
        cause: "the API server of the cluster does not answer",
        fix: "check the network, `HTTPS_PROXY` and the endpoint's allowed addresses",
      },
    },
    "cluster-denied": {
      doc: {
        cause: "the API server does not accept the principal, or does not allow the call",
        fix: "create the access entry and apply `outrigger print rbac`, as the message says",
      },
    },
    "cluster-conflict": {
      doc: {
        cause: "another tool manages an object, or changed it at the same time",
        fix: "let one tool own the object; [Take over from another webhook](../tasks/move-from-istio.md#from-another-products-webhook)",
      },
    },
    "cluster-refused": { doc: { cause: "the API server rejected an object", fix: "correct what the message names" } },
    "cluster-kind-unknown": {
      doc: {
        cause: "the cluster's API server does not serve a kind, such as the policies of the safety net",
        fix: "upgrade Kubernetes, or do without what needs the kind",
      },
    },
    "cluster-list-expired": {
      doc: { cause: "the API server did not keep a list while its pages were read", fix: "run it again" },
    },
    "cluster-webhook-failed": {
      doc: {
        cause: "the API server could not call a webhook, ours or another's",
        fix: "repair the webhook that the message names",
      },
    },
    "endpoint-unfit": {
      doc: {
        cause: "the webhook's URL does not answer as it must, so no cluster is pointed at it",
        fix: "follow the message; `outrigger check` shows every step",
      },
    },
    interrupted: { doc: { cause: "the command was stopped, and restored what it had changed", fix: "run it again" } },
    "listen-failed": {
      doc: { cause: "the local server cannot listen on its address", fix: "choose another `--port`" },
    },
  },
  /** Nobody wrote anything wrong, and a retry can succeed. */
  outage: {
    "store-unavailable": {
      doc: {
        cause: "Parameter Store does not answer, or throttles",
        fix: "wait and retry; [When Parameter Store fails](../outages.md)",
      },
    },
  },
  /** The command line is wrong. */
  user: {
    usage: { doc: { cause: "the command line is wrong", fix: "`outrigger COMMAND --help`" } },
  },
  /** Outrigger itself is wrong. */
  bug: {
    "patch-check-failed": {
      doc: {
        cause:
          "the patch does not give the pod that it should, though no template wrote what is wrong: a fault of Outrigger",
        fix: "report it with the pod; `failurePolicy` decides about the pod meanwhile",
      },
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ErrorKind>>>>;

type Kinds = typeof errorKinds;

/** The party whose fault an error is. */
export type Fault = keyof Kinds;

/** The codes of the errors that are the fault of `F`. */
export type CodeOf<F extends Fault> = { [One in F]: keyof Kinds[One] }[F];

/** The code of an error. */
export type ErrorCode = CodeOf<Fault>;

const faults: ReadonlyMap<string, Fault> = new Map(
  (Object.keys(errorKinds) as Fault[]).flatMap((fault) =>
    Object.keys(errorKinds[fault]).map((code) => [code, fault] as const),
  ),
);

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
  return faults.get(code) ?? "operator";
}
