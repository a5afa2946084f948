// What people type who come from another tool or from an earlier version, and the command here that does it.

const ELSEWHERE: Readonly<Record<string, string>> = {
  analyze: "outrigger check, or outrigger lint for templates",
  apply: "outrigger push for a directory's edits; kubectl applies manifests",
  commit: "outrigger push, with the reason in -m",
  dashboard: "outrigger studio",
  delete: "outrigger channel remove CHANNEL, outrigger unregister for a cluster, outrigger undeploy for a deployment",
  describe: "outrigger explain for a pod, outrigger check for a cluster",
  destroy: "outrigger undeploy",
  get: "outrigger values, outrigger releases, outrigger channel, outrigger clusters or outrigger pods",
  history: "outrigger channel CHANNEL, for a channel's history",
  info: "outrigger check",
  install: "outrigger deploy, then outrigger register",
  "kube-inject": "outrigger inject",
  list: "outrigger releases, outrigger channel or outrigger clusters",
  log: "outrigger channel CHANNEL, for a channel's history",
  logs: "aws logs tail /aws/lambda/outrigger-STAGE-inject",
  ls: "outrigger releases, outrigger channel or outrigger clusters",
  plan: "outrigger deploy --dry-run for a new version, outrigger lint --deployment STAGE for edits",
  "proxy-status": "outrigger pods",
  remove: "outrigger channel remove CHANNEL, outrigger unregister for a cluster, outrigger undeploy for a deployment",
  revert: "outrigger rollback",
  revision: "outrigger clusters, and outrigger register --revision NAME",
  serve: "outrigger start",
  template: "outrigger inject --overlay",
  undo: "outrigger rollback",
  uninstall: "outrigger unregister for each cluster, then outrigger undeploy",
  upgrade: "outrigger deploy",
  validate: "outrigger lint",
};

/** Commands that are part of another one now, each with where it is. */
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

/** Options of commands that still exist, and where each is now. */
const MOVED_OPTIONS: readonly (readonly [command: string, option: string, now: string])[] = [
  ["check", "--pre", "check --section prerequisites"],
  ["clusters set", "--kubernetes-version", "clusters set CLUSTER kubernetes-version=1.33"],
  ["clusters set", "--native-sidecars", "clusters set CLUSTER native-sidecars=auto"],
  ["clusters set", "--network", "clusters set CLUSTER network=NETWORK"],
  ["clusters set", "--revision", "clusters set CLUSTER revision.NAME=CHANNEL"],
  ["deploy", "--plan", "deploy --dry-run"],
  ["lint", "--format", "lint --output"],
  ["lint", "--store", "lint source"],
  ["pin", "--to", "pin CHANNEL RELEASE"],
  ["pods", "--diff", "pods --output diff"],
  ["print policy", "--for-role", "print policy deployer-role|registrar-role"],
  ["print policy", "--part", "print policy deployer-role 2|DIRECTORY"],
  ["print rbac", "--for", "print rbac FEATURE"],
  ["print rbac", "--probe-namespace", "print rbac --namespace"],
  ["print webhook", "--token", "print webhook --token-file"],
  ["promote", "--replace", "promote --force"],
  ["register", "--allow-unproven", "register --force"],
  ["register", "--no-enable-namespaces-by-default", "register --enable-namespaces-by-default false"],
  ["rollback", "--steps", "rollback CHANNEL 2"],
  ["rollback", "--to", "rollback CHANNEL RELEASE"],
  ["start", "--host", "start --port ADDRESS:PORT"],
  ["start", "--store", "start --fake"],
  ["start", "--store-port", "start --fake PORT"],
  ["test", "--junit", "test --output junit"],
  ["token retire", "--digest", "token retire DIGEST"],
  ["token retire", "--slot", "token retire 1|2"],
  ["token rotate", "--no-wait", "token rotate --wait 0"],
];

/** Commands that kubectl's users would watch. */
const WATCHED: readonly string[] = ["channel", "channels", "check", "clusters", "pods", "releases", "rollout"];

/**
 * Returns what to say about words of an earlier version, or of kubectl, helm, istioctl and the AWS CLI. It is undefined
 * if there is nothing to say.
 */
export function meantBy(words: readonly string[]): string | undefined {
  const [word = ""] = words;
  if (Object.hasOwn(MOVED, word)) return `\`outrigger ${word}\` is now \`outrigger ${MOVED[word]}\``;
  if (Object.hasOwn(ELSEWHERE, word)) return `Unknown command '${word}': here it is ${ELSEWHERE[word]}`;
  const line = `${words.join(" ")} `;
  const moved = MOVED_OPTIONS.find(
    ([command, option]) => line.startsWith(`${command} `) && words.some((one) => one.split("=", 1)[0] === option),
  );
  if (WATCHED.includes(word) && words.some((one) => one === "-w" || one === "--watch")) {
    const rest = words.filter((one) => one !== "-w" && one !== "--watch");
    return `Unknown option '-w': here it is watch outrigger ${rest.join(" ")}`;
  }
  return moved && `\`outrigger ${moved[0]} ${moved[1]}\` is now \`outrigger ${moved[2]}\``;
}
