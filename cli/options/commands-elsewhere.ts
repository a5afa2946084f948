// What people type who come from another tool or from an earlier version, and the command here that does it.

const ELSEWHERE: Readonly<Record<string, string>> = {
  analyze: "outrigger check, or outrigger lint for templates",
  apply: "outrigger push writes a directory's edits; kubectl applies manifests",
  delete: "outrigger channel remove CHANNEL, outrigger unregister for a cluster, outrigger undeploy for a deployment",
  describe: "outrigger explain for a pod, outrigger check for a cluster",
  destroy: "outrigger undeploy",
  get: "outrigger releases, outrigger channel, outrigger clusters or outrigger pods",
  history: "outrigger channel CHANNEL shows a channel's history",
  info: "outrigger check",
  install: "outrigger deploy, then outrigger register",
  "kube-inject": "outrigger inject",
  list: "outrigger releases, outrigger channel or outrigger clusters",
  logs: "aws logs tail /aws/lambda/outrigger-STAGE-inject",
  plan: "outrigger deploy --plan for a new version, outrigger lint --deployment STAGE for edits",
  "proxy-status": "outrigger pods",
  remove: "outrigger channel remove CHANNEL, outrigger unregister for a cluster, outrigger undeploy for a deployment",
  revert: "outrigger rollback",
  serve: "outrigger start",
  template: "outrigger inject --overlay",
  undo: "outrigger rollback",
  uninstall: "outrigger unregister for each cluster, then outrigger undeploy",
  upgrade: "outrigger deploy",
  validate: "outrigger lint",
};

/** What was a command of its own, and where it is now. */
const MOVED: Readonly<Record<string, string>> = {
  audit: "pods --state missing",
  helpers: "print helpers",
  policy: "print policy",
  rbac: "print rbac",
  render: "inject --overlay",
  replicate: "repair --replica",
  restore: "repair",
  schema: "print schema",
  status: "check --section registration",
  unpin: "pin --off",
  version: "--version",
  webhook: "print webhook",
};

/** What to say of a word that is no command here: what does it now, or does what it means in kubectl, helm, istioctl or the AWS CLI. */
export function meantBy(word: string): string | undefined {
  if (Object.hasOwn(MOVED, word)) return `\`outrigger ${word}\` is now \`outrigger ${MOVED[word]}\``;
  return Object.hasOwn(ELSEWHERE, word) ? `Unknown command '${word}': here it is ${ELSEWHERE[word]}` : undefined;
}
