// Clusters whose objects Helm or Argo CD owns: commands find them whatever those tools write into the labels, change nothing that
// would be changed back, and still switch them off.

import type { JsonObject } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1/";
const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

/** Helm sets both on everything that it installs. Argo CD sets the label, and newer releases the annotation. */
const TOOLS: readonly (readonly [manager: string, labels: JsonObject, annotations: JsonObject])[] = [
  ["Helm (release net)", { "app.kubernetes.io/managed-by": "Helm" }, { "meta.helm.sh/release-name": "net" }],
  ["another tool (app.kubernetes.io/instance: platform)", { "app.kubernetes.io/instance": "platform" }, {}],
  ["Argo CD (application platform)", {}, { "argocd.argoproj.io/tracking-id": "platform:x/y:z/w" }],
];

describe.each(TOOLS)("objects that %s manages", { timeout: 180_000 }, (manager, labels, annotations) => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster", "--safety-net", "deny")).code).toBe(0);
    for (const [place, object] of lab.api.objects) {
      if (!place.startsWith(GROUP)) continue;
      const metadata = object["metadata"] as { readonly labels?: JsonObject; readonly annotations?: JsonObject };
      const changed = {
        labels: { ...metadata.labels, ...labels },
        annotations: { ...metadata.annotations, ...annotations },
      };
      lab.api.put(place, { ...object, metadata: { ...metadata, ...changed } });
    }
  });
  afterEach(() => lab.close());

  const state = () => JSON.stringify([...lab.api.objects].filter(([place]) => place.startsWith(GROUP)));
  const shop = ["--cluster", "shop"];

  it("are found, left alone, and switched off", async () => {
    for (const command of [["check", "--section", "registration"], ["pods", "--state", "missing"], ["check"]]) {
      expect([command, (await lab.run(...command, ...shop)).code]).toEqual([command, 0]);
    }
    const before = state();
    const records = lab.aws.store.values()["/outrigger/dev/clusters/shop"];
    for (const argv of [
      ["register", ...shop, "--ca-file", "ca.pem", "--phase", "enforce"],
      ["token", "rotate", ...shop],
      ["unregister", "--yes", ...shop],
    ]) {
      const { code, err } = await lab.run(...argv);
      expect([argv[0], code, err]).toEqual([argv[0], 3, expect.stringContaining(`${manager} manages it`)]);
    }
    expect(state()).toBe(before);
    const tokens = (text = "") => /"sha256":"(\w+)"/.exec(text)?.[1];
    expect(tokens(lab.aws.store.values()["/outrigger/dev/clusters/shop"])).toBe(tokens(records));
    expect((await lab.run("off", ...KUBECONFIG)).code).toBe(0);
    expect(state()).not.toMatch(/"Deny"|"failurePolicy":"Fail","matchPolicy"/);
    expect((await lab.run("unregister", "--yes", ...shop, "--keep-objects")).code).toBe(0);
  });
});
