// What docs/reference/errors.md says of each error code. The compiler holds the table complete.
import type { ErrorCode } from "@outrigger/base";

export interface ErrorDoc {
  readonly cause: string;
  readonly fix: string;
}

const doc = (cause: string, fix: string): ErrorDoc => ({ cause, fix });

export const ERRORS: Readonly<Record<ErrorCode, ErrorDoc>> = {
  "review-invalid": doc(
    "the request is not an AdmissionReview that Outrigger can answer",
    "call the webhook from an API server; check what else calls the URL",
  ),
  "review-too-large": doc(
    "the request, or the answer to it, is larger than Lambda takes",
    "make the pod smaller: an API server's own limit is lower in most cases",
  ),
  "content-type-unsupported": doc("the request is not `application/json`", "call the webhook from an API server"),
  "method-unsupported": doc("the request is not a POST", "call the webhook from an API server"),
  "token-unknown": doc(
    "the URL's token is not, or no longer, a token of a registered cluster",
    "`outrigger check --section registration --cluster NAME`, and register the cluster again",
  ),
  "url-invalid": doc(
    "a parameter of the webhook's URL cannot be used",
    "register the cluster again, or correct the URL that you wrote yourself",
  ),
  "annotation-invalid": doc(
    "an annotation or label of the pod has a value that it cannot have",
    "correct it in the workload's pod template; the message names it and [what it may be](annotations.md)",
  ),
  "template-unknown": doc(
    "`inject.istio.io/templates` names a template or alias that does not exist",
    "correct the annotation, or publish the template",
  ),
  "pod-invalid": doc(
    "the pod, or what injection makes of it, is not valid for an API server",
    "correct the field that the message names",
  ),
  "tree-invalid": doc(
    "the source tree, or a file in it, cannot be used; or tests of the tree fail",
    "run `outrigger lint` and `outrigger test`",
  ),
  "tag-unclosed": doc(
    "a text that is to be stored has a tag without an end, or a stored one has",
    "close the tag on the line that the message names",
  ),
  "config-invalid": doc(
    "a key of `config` is unknown or has a wrong value",
    "correct the line that the message names; [all keys](config.md)",
  ),
  "values-invalid": doc(
    "a value is unknown, has the wrong type or does not match the schema",
    "correct the line that the message names; [all values](values.md)",
  ),
  "mesh-invalid": doc(
    "the mesh config or a ProxyConfig resource is invalid",
    "correct the field that the message names",
  ),
  "template-invalid": doc(
    "a template or partial does not parse, or uses what is not allowed",
    "correct the line that the message names; [typical mistakes](../mistakes.md)",
  ),
  "template-render": doc(
    "a template failed for a pod",
    "make the template handle this pod; add the pod as a sample so that publishing tries it",
  ),
  "overlay-invalid": doc(
    "what a template renders is not a partial pod",
    "correct the template: the message names the field",
  ),
  "yaml-invalid": doc("a file is not YAML", "correct the line that the message names"),
  "release-unsupported": doc(
    "a compiled release has a format that this version does not read",
    "publish again with the deployed version",
  ),
  "store-unavailable": doc(
    "Parameter Store does not answer, or throttles",
    "wait and retry; [When Parameter Store fails](../outages.md)",
  ),
  "store-denied": doc(
    "the role or your principal may not read or write these parameters",
    "attach the policy that the message names (`outrigger print policy`)",
  ),
  "store-corrupt": doc(
    "a parameter of the derived part has contents that cannot be read",
    "`outrigger repair`, which writes it again",
  ),
  "store-full": doc(
    "the release is larger than the parameters that hold it",
    "remove templates or values, or set `tier: Advanced`",
  ),
  "parameter-exists": doc("another writer made the parameter at the same time", "run the command again"),
  "parameter-refused": doc(
    "Parameter Store does not take a text: too large, or with two braces in a row",
    "split the file, or write the text differently, as the message says",
  ),
  "parameter-downgrade": doc(
    "an advanced parameter was to become a standard one, which Parameter Store refuses",
    "nothing to do: it is written as an advanced one; delete it to make it a standard one again",
  ),
  "tree-half-pushed": doc(
    "a push is not complete: another person's, or one that was interrupted",
    "wait, or push again with `--force`",
  ),
  "tree-changed": doc(
    "the same entry was edited on both sides since the last pull or push; or `diff --exit-code` found differences",
    "`outrigger pull`, merge, and push again",
  ),
  "channel-unknown": doc("there is no channel of that name", "`outrigger channel` lists the channels"),
  "channel-moved": doc("another person moved the channel since you looked", "look again, then repeat the command"),
  "channel-pinned": doc(
    "the channel is pinned, by a rollback or by hand",
    "`outrigger pin --off`, or `--unpin` with the command",
  ),
  "edit-held": doc(
    "publishing the source tree would do to pods what the channel holds for a person",
    "look at `outrigger diff CHANNEL source`, then run the `outrigger publish --accept` that the message names, or revert the edit",
  ),
  "guardrail-violated": doc(
    "the templates add to a pod what the deployment's [guardrails](../guardrails.md) do not admit",
    "change the template at the line that the message names, or the setting `guardrails`, and deploy",
  ),
  "release-unknown": doc(
    "there is no release of that digest, or it was deleted after its time",
    "`outrigger releases` lists the releases",
  ),
  "cluster-invalid": doc("a cluster's record would not be valid", "correct what the message names"),
  "deadline-exceeded": doc(
    "what the request needed did not arrive within the API server's timeout",
    "see [the alarm for latency](../runbooks/injection.md#latency); raise `--timeout` of the webhook",
  ),
  "aws-denied": doc(
    "AWS refuses the credentials or the call",
    "sign in again, or attach the policy that the message names",
  ),
  "aws-unavailable": doc(
    "AWS cannot be reached, no Region is given, or what AWS ran has failed",
    "check `--region`, `--profile` and the network",
  ),
  "cluster-unknown": doc(
    "there is no such cluster, registration, workload or context",
    "check the name; `outrigger clusters` lists registrations",
  ),
  "cluster-unreachable": doc(
    "the API server of the cluster does not answer",
    "check the network, `HTTPS_PROXY` and the endpoint's allowed addresses",
  ),
  "cluster-denied": doc(
    "the API server does not accept the principal, or does not allow the call",
    "create the access entry and apply `outrigger print rbac`, as the message says",
  ),
  "cluster-conflict": doc(
    "another tool manages an object, or changed it at the same time",
    "let one tool own the object; [Take over from another webhook](../tasks/move-from-istio.md#from-another-products-webhook)",
  ),
  "cluster-refused": doc("the API server rejected an object", "correct what the message names"),
  "cluster-kind-unknown": doc(
    "the cluster's API server does not serve a kind, such as the policies of the safety net",
    "upgrade Kubernetes, or do without what needs the kind",
  ),
  "cluster-list-expired": doc("the API server did not keep a list while its pages were read", "run it again"),
  "cluster-webhook-failed": doc(
    "the API server could not call a webhook, ours or another's",
    "repair the webhook that the message names",
  ),
  "endpoint-unfit": doc(
    "the webhook's URL does not answer as it must, so no cluster is pointed at it",
    "follow the message; `outrigger check` shows every step",
  ),
  interrupted: doc("the command was stopped, and restored what it had changed", "run it again"),
  findings: doc("the command looked for faults or differences, and found some", "see its output"),
  usage: doc("the command line is wrong", "`outrigger COMMAND --help`"),
  "manifest-invalid": doc(
    "a manifest cannot be read or written, or holds no pod",
    "correct the file that the message names",
  ),
  "listen-failed": doc("the local server cannot listen on its address", "choose another `--port`"),
  "patch-check-failed": doc(
    "the patch does not give the pod that it should: a fault of Outrigger",
    "report it with the pod; `failurePolicy` decides about the pod meanwhile",
  ),
};
