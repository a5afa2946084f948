import { readSourceTree } from "@outrigger/publisher";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

vi.stubGlobal("PLAYGROUND", "null");
vi.stubGlobal("window", { setTimeout: () => 0 });
afterAll(async () => {
  vi.unstubAllGlobals();
  const { drafts, PLAYGROUND_WORKSPACE, workspace } = await import("../model/state.ts");
  workspace.value = PLAYGROUND_WORKSPACE;
  drafts.value = {};
});

describe("offerExamples()", () => {
  let shipped: Readonly<Record<string, string>>;
  let example: Readonly<Record<string, string>>;
  beforeAll(async () => {
    shipped = await readSourceTree("templates");
    example = await readSourceTree("docs/examples/log-shipper");
  });
  const configAfter = async (saved: Readonly<Record<string, string>>, tree = example) => {
    const { drafts, workspace } = await import("../model/state.ts");
    const { source } = await import("../model/workspace.ts");
    const { offerExamples } = await import("./starting.ts");
    vi.spyOn(source, "examples").mockResolvedValue([
      { name: "log-shipper", title: "Log shipper", about: "", tree } as never,
    ]);
    workspace.value = { ...workspace.value, kind: "deployment", shipped, saved };
    await offerExamples("log-shipper");
    return drafts.value["config"]?.text;
  };

  it.each([
    ["by default", {}, "[sidecar, log-shipper]"],
    [
      "by the saved configuration",
      { config: "defaultTemplates:\n- gateway\n- audit\n" },
      "[gateway, audit, log-shipper]",
    ],
    [
      "and the pods that they are for",
      { config: "defaultTemplates: [audit, {name: gateway, match: {namespaces: [edge]} }]\n" },
      "[audit, {name: gateway, match: {namespaces: [edge]} }, log-shipper]",
    ],
    ["of the example too", { config: "defaultTemplates: [log-shipper, sidecar]\n" }, "[log-shipper, sidecar]"],
    ["by the layer below one that names none", { config: "policy: enabled\n" }, "[sidecar, log-shipper]"],
    ["by the layer below one that is no YAML", { config: "a: [\n" }, "[sidecar, log-shipper]"],
  ])("keeps the templates that pods get %s before those of the example", async (_, saved, list) => {
    expect(await configAfter(saved)).toContain(`\ndefaultTemplates: ${list}\n`);
  });

  it("keeps them beside an example that says who gets it, and has nothing of a mesh where the tree has none", async () => {
    const pgbouncer = await readSourceTree("docs/examples/pgbouncer");
    const list = "[sidecar, {name: pgbouncer, match: {podLabels: {database-proxy: pgbouncer} } }]";
    const beside = await configAfter({}, pgbouncer);
    expect(beside).toContain(`defaultTemplates: ${list}\n`);
    // The example is one without a mesh: on a tree with one, that would take the proxy away.
    expect(pgbouncer["config"]).toMatch(/^mesh: none$/m);
    expect(beside).not.toMatch(/^mesh:/m);
    const without = await configAfter({ config: "mesh: none\n" }, pgbouncer);
    expect(without).toContain("\nmesh: none");
    expect(without).not.toContain("- sidecar\n");
  });

  it("leaves an example without templates by default as it is", async () => {
    const config = "policy: enabled\n";
    expect(await configAfter({}, { ...example, config })).toBe(config);
  });
});
