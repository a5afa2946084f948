// Faults that once went unnoticed: each is put into the source by `npm run mutation -- --named`, and near tests must fail.
import type { Mutant } from "./mutants.ts";

export interface NamedFault {
  /** What goes wrong with it. */
  readonly what: string;
  readonly file: string;
  /** A text that is once in the file, and what takes its place. */
  readonly before: string;
  readonly after: string;
}

export const namedFaults: readonly NamedFault[] = [
  {
    what: "an edit whose event is a little older than the last reading is taken to be published already, and lost",
    file: "functions/publish/on-edit.ts",
    before: "if (time + SKEW <= covered)",
    after: "if (time - SKEW <= covered)",
  },
  {
    what: "what a channel serves whose record cannot be read is deleted as garbage",
    file: "lib/publisher/commit/collect-garbage.ts",
    before: "if (state.unreadable.channels.length > 0) return [];",
    after: "",
  },
  {
    what: "a failurePolicy that was asked for one phase stays in the next",
    file: "lib/cluster/register/plan-settings.ts",
    before: "(samePhase ? kept?.failurePolicy : undefined)",
    after: "kept?.failurePolicy",
  },
  {
    what: "a volume that an init container mounts is removed",
    file: "lib/injector/steps/volumes.ts",
    before: "[...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]",
    after: "[...(spec?.containers ?? [])]",
  },
  {
    what: "port 0, which the proxy does not serve, is announced to Prometheus",
    file: "lib/injector/steps/prometheus-merge.ts",
    before: 'value !== "" && value !== "0"',
    after: 'value !== ""',
  },
  {
    what: "a probe that the agent serves already is recorded as the author's",
    file: "lib/injector/steps/app-probes.ts",
    before: "isServed(handler, path) ? undefined : agentHandler(handler, container, meshPort)",
    after: "agentHandler(handler, container, meshPort)",
  },
  {
    what: "a change of a record that cannot be read is taken for no change",
    file: "lib/publisher/commit/carry-out.ts",
    before: "if (state.unreadable[folderOf(kind)].includes(name)) return true;",
    after: "",
  },
  {
    what: "a push of one's own that was broken off cannot be taken up again",
    file: "cli/tree/plan-push.ts",
    before: " || manifest.by === (await deployment.caller())",
    after: "",
  },
  {
    what: "of two kubeconfig files, the last one wins",
    file: "lib/cluster/kube/kubeconfig.ts",
    before: "for (const { file, config } of configs)",
    after: "for (const { file, config } of configs.toReversed())",
  },
  {
    what: "a probe that could not be tried is tried for 15 seconds",
    file: "lib/cluster/register/probe-injection.ts",
    before: 'proof.kind === "injected" || proof.kind === "untried" ||',
    after: 'proof.kind === "injected" ||',
  },
  {
    what: "a caller in a hurry cuts off the read that others need",
    file: "lib/serving/snapshot/snapshot-cache.ts",
    before: "SHORTEST_LIMIT = 1000",
    after: "SHORTEST_LIMIT = 0",
  },
  {
    what: "a subtree that two templates share is cleaned by the schema of the first",
    file: "lib/pod/merge/overlay-subtree.ts",
    before: "known !== undefined && known.type === type",
    after: "known !== undefined",
  },
];

/** @param source the file's text @throws where the text that is replaced is not in it exactly once: the table is out of date */
export function namedMutant({ what, file, before, after }: NamedFault, source: string): Mutant {
  const parts = source.split(before);
  if (parts.length !== 2) {
    throw new Error(
      `Cannot put a fault into ${file}: "${before}" is in it ${parts.length - 1} times; fix tools/mutation/named.ts`,
    );
  }
  const line = (parts[0] ?? "").split("\n").length;
  return { file, operator: what, line, before, after, code: parts.join(after) };
}
