import { compileRelease, loadRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import type { Account } from "./explain-pod.ts";
import { type Admission, admissionLines, explainLines, formatLines, isUnsent, resultOf } from "./explain-result.ts";

const NOW = Date.parse("2026-11-23T10:00:00Z");

const account = (more: Partial<Account> = {}): Account => ({
  pod: "web",
  namespace: "shop",
  decision: "injected",
  reason: "opted-in",
  message: "the pod asks for it",
  templates: ["sidecar", "agent"].map((name) => ({ name, path: `templates/${name}`, layer: "yours", partials: [] })),
  unmatched: [],
  added: {},
  warnings: [],
  ...more,
});

const selection = (...sent: readonly boolean[]) =>
  sent.map((isSent) => ({ title: "injector, namespace", purpose: "", isSent, unmet: [] }));

const admission = (answer: object, more: Partial<Admission> = {}): Admission => ({
  answer: answer as Admission["answer"],
  otherWebhooks: { known: true, value: [] },
  failures: { known: true, value: [] },
  ...more,
});
const admitted = (isInjected: boolean, more: object = {}) =>
  admission({ kind: "admitted", isInjected, warnings: [], obstacles: [], ...more });
const rejected = (cause: string) =>
  admission({ kind: "rejected", cause, message: "no room", remediation: "make room" });

describe("isUnsent()", () => {
  it("is known only where every webhook leaves the pod alone", () => {
    expect(isUnsent(undefined)).toBe(false);
    expect(isUnsent(selection(false, true))).toBe(false);
    expect(isUnsent(selection(false, false))).toBe(true);
  });
});

describe("resultOf()", () => {
  it("says which templates a pod gets, and that a webhook has to be called where that is not known", () => {
    expect(resultOf(account(), selection(true))).toBe("injected with sidecar, agent");
    expect(resultOf(account({ templates: [] }), selection(true))).toBe("injected without a template");
    expect(resultOf(account(), undefined)).toMatch(
      /^injected with sidecar, agent, if a webhook is called: .*--context.*--namespace-label$/,
    );
  });

  it("says why a pod gets no sidecar, or is denied", () => {
    expect(resultOf(account(), selection(false))).toBe("no sidecar, because no webhook is called");
    expect(resultOf(account({ decision: "skipped", message: "it opted out" }), selection(true))).toBe(
      "no sidecar, because it opted out",
    );
    expect(resultOf(account({ decision: "refused", message: "no such template" }), undefined)).toBe(
      "the pod is denied: no such template",
    );
  });

  it("gives the API server's reason, unless it only repeats the injector's own", () => {
    const refused = account({ decision: "refused", message: "no such template" });
    expect(resultOf(account(), selection(true), rejected("quota"))).toBe("the API server rejects the pod: no room");
    expect(resultOf(refused, selection(true), rejected("own-denial"))).toBe("the pod is denied: no such template");
    expect(resultOf(refused, selection(true), rejected("quota"))).toBe("the API server rejects the pod: no room");
    expect(resultOf(account(), selection(true), rejected("own-denial"))).toBe(
      "the API server rejects the pod: no room",
    );
  });

  it("says that the sidecar is missing only where the pod is sent and would be injected", () => {
    const missing = /^no sidecar, although the release injects it/;
    expect(resultOf(account(), selection(true), admitted(false))).toMatch(missing);
    expect(resultOf(account(), selection(true), admitted(true))).toBe("injected with sidecar, agent");
    expect(resultOf(account(), selection(false), admitted(false))).toBe("no sidecar, because no webhook is called");
    const skipped = account({ decision: "skipped", message: "it opted out" });
    expect(resultOf(skipped, selection(true), admitted(false))).toBe("no sidecar, because it opted out");
  });

  it("adds the first obstacle to a pod that is admitted and does not run", () => {
    const obstacles = ["Fargate does not run it", "another"].map((problem) => ({ problem, remediation: "" }));
    expect(resultOf(account(), selection(true), admitted(true, { obstacles }))).toBe(
      "injected with sidecar, agent, but it does not run: Fargate does not run it",
    );
    expect(resultOf(account(), selection(true), admission({ kind: "untried", why: "" }))).toBe(
      "injected with sidecar, agent",
    );
  });
});

describe("admissionLines()", () => {
  it("says what the API server answers: not asked, a rejection with the fix, or admitted with what it warns of", () => {
    expect(admissionLines(admission({ kind: "untried", why: "you may not" }), NOW)).toEqual([
      "  API server: not asked, because you may not",
    ]);
    expect(admissionLines(rejected("quota"), NOW)).toEqual([
      "  API server: rejects it (quota): no room",
      "    Fix: make room",
    ]);
    const more = { warnings: ["old field"], obstacles: [{ problem: "it does not run", remediation: "use nodes" }] };
    expect(admissionLines(admitted(true, more), NOW)).toEqual([
      "  API server: admits it with a sidecar, as a dry run",
      "    it warns: old field",
      "    but it does not run",
      "    Fix: use nodes",
    ]);
    expect(admissionLines(admitted(false), NOW)).toEqual(["  API server: admits it without a sidecar, as a dry run"]);
  });

  it("lists the other webhooks with their conditions, problems and fixes, or why they are not known", () => {
    const webhook = { name: "a.example", configuration: "a", kind: "mutating", failurePolicy: "Fail" };
    const value = [
      { ...webhook, isConditional: false },
      { ...webhook, isConditional: true, problem: "it does not answer", remediation: "start it" },
    ] as never;
    const said = (otherWebhooks: Admission["otherWebhooks"]) =>
      admissionLines(admission({ kind: "untried", why: "" }, { otherWebhooks }), NOW).slice(1);
    expect(said({ known: true, value })).toEqual([
      "  Also sent to: a.example of a (mutating, Fail)",
      "  Also sent to: a.example of a (mutating, Fail, if its conditions hold): it does not answer",
      "    Fix: start it",
    ]);
    expect(said({ known: false, why: "you may not" })).toEqual(["  Other webhooks: not known, because you may not"]);
  });

  it("lists pods that could not be made, with their age where it is known, or why they are not known", () => {
    const failure = { owner: "ReplicaSet web-1", message: "no room", remediation: "make room" };
    const said = (failures: Admission["failures"]) =>
      admissionLines(admission({ kind: "untried", why: "" }, { failures }), NOW).slice(1);
    const value = [{ ...failure, at: NOW - 120_000 }, { ...failure, at: 0 }] as never; // biome-ignore format: pairs
    expect(said({ known: true, value })).toEqual([
      "  ReplicaSet web-1 could not make a pod 2m ago: no room",
      "    Fix: make room",
      "  ReplicaSet web-1 could not make a pod: no room",
      "    Fix: make room",
    ]);
    expect(said({ known: false, why: "you may not" })).toEqual([
      "  Pods that could not be made: not known, because you may not",
    ]);
  });
});

describe("explainLines() and formatLines()", () => {
  const release = compileRelease([SHIPPED]);
  const traced = { injector: loadRelease(release), compiled: release.templates };
  const pod = (annotations: Readonly<Record<string, string>> = {}) => ({
    metadata: { name: "web", annotations },
    spec: { containers: [{ name: "app", image: "app" }] },
  });
  const linesOf = (annotations?: Readonly<Record<string, string>>) =>
    explainLines(traced, { pod: pod(annotations), namespace: "shop", parameters: {} });

  it("name for each line the template, the step or nobody but the author", () => {
    const lines = linesOf() ?? [];
    const lineOf = (part: string) => lines.find(({ text }) => text.includes(part));
    expect(lineOf("name: istio-proxy")).toMatchObject({ path: "templates/sidecar", line: 3 });
    expect(lineOf("sidecar.istio.io/status:")).toMatchObject({ step: "injection-record" });
    expect(Object.keys(lineOf("image: app") ?? {})).toEqual(["text"]);
  });

  it("are nothing for a pod that is refused", () => {
    expect(linesOf({ "inject.istio.io/templates": "gone" })).toBeUndefined();
  });

  it("put the writers into a column", () => {
    const lines = [{ text: "a", path: "templates/sidecar", line: 12 }, { text: "b", step: "record" }, { text: "c" }];
    expect(formatLines(lines)).toEqual([
      "templates/sidecar:12 | a",
      "record               | b",
      "                     | c",
    ]);
  });
});
