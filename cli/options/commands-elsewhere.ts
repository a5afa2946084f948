// What people type who come from another tool or an earlier version, and the command here that does it.

const ELSEWHERE: Readonly<Record<string, string>> = {
  analyze: "outrigger check, or outrigger lint for templates",
  audit: "outrigger pods --state missing",
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
  status: "outrigger check --section registration",
  template: "outrigger render",
  undo: "outrigger rollback",
  uninstall: "outrigger unregister for each cluster, then outrigger undeploy",
  upgrade: "outrigger deploy",
  validate: "outrigger lint",
};

/** The command that does what a word means in kubectl, helm, istioctl, the AWS CLI or an earlier version; undefined for a word that means nothing there. */
export function commandElsewhere(word: string | undefined): string | undefined {
  return word !== undefined && Object.hasOwn(ELSEWHERE, word) ? ELSEWHERE[word] : undefined;
}
