import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadInjector, serveTree } from "./live-injector.ts";

/** Patience with a busy machine, not a time that anything takes. */
const WITHIN = { timeout: 60_000, interval: 10 };
const AGENT = (image: string) => `spec:\n  containers:\n  - name: agent\n    image: ${image}\n`;

describe("serveTree()", () => {
  let tree: string;
  let lines: string[];
  let close = () => {};
  beforeEach(() => {
    tree = mkdtempSync(join(tmpdir(), "outrigger-live-"));
    lines = [];
    put("config.yaml", "mesh: none\ndefaultTemplates: [agent]\n");
    put("templates/agent.hbs", AGENT("agent:1"));
  });
  afterEach(() => {
    close();
    rmSync(tree, { recursive: true });
  });
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  const serve = async () => {
    const served = await serveTree([tree], (line) => lines.push(line));
    close = served.close;
    return served;
  };
  /** Writes a file until that is noticed: the first look at the files may come after it. */
  const edit = async (file: string, text: string, isNoticed: () => boolean) => {
    for (let write = 0; !isNoticed(); write++) {
      put(file, `${text}${" ".repeat(write)}`);
      await vi.waitFor(() => expect(isNoticed()).toBe(true), { timeout: 1000, interval: 10 }).catch(() => {});
    }
  };
  const last = (text: string) => () => lines.some((line) => line.includes(text));

  it("serves another release once its files change, keeps the last good one, and says both", async () => {
    const { release } = await serve();
    expect(lines).toEqual([]);
    await edit("templates/agent.hbs", AGENT("agent:2"), last("Serving release"));
    const [, second] = /^Serving release ([0-9a-f]{12}) from now on$/.exec(lines.at(-1) ?? "") ?? [];
    expect(second).not.toBe(release);
    await edit("templates/agent.hbs", "{{#if}}\n", last("Still serving"));
    expect(lines.at(-1)).toMatch(new RegExp(`template "agent"[\\s\\S]*\\nStill serving release ${second}$`));
    lines.length = 0;
    put("templates/agent.hbs", AGENT("agent:2"));
    await vi.waitFor(() => expect(lines.at(-1)).toMatch(/^Serving release [0-9a-f]{12} from now on$/), WITHIN);
  });

  it("reports warnings to begin with and with every change", async () => {
    put("config.yaml", "defaultTemplates: [agent]\n");
    put("mesh.yaml", "oddField: 1\n");
    await serve();
    expect(lines).toEqual([expect.stringMatching(/^Warning: .*oddField/)]);
    lines.length = 0;
    await edit("templates/agent.hbs", AGENT("agent:2"), last("Serving release"));
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^Warning: .*oddField/),
      expect.stringMatching(/^Serving release/),
    ]);
  });

  it("fails where there is nothing good to begin with, and names the place", async () => {
    put("templates/agent.hbs", "{{#if}}\n");
    await expect(serve()).rejects.toMatchObject({ path: "templates/agent" });
  });
});

describe("loadInjector()", () => {
  it("injects with the upper layer over the lower ones", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outrigger-layers-"));
    try {
      for (const [layer, image] of [
        ["below", "agent:1"],
        ["above", "agent:2"],
      ] as const) {
        mkdirSync(join(folder, layer, "templates"), { recursive: true });
        writeFileSync(join(folder, layer, "config.yaml"), "mesh: none\ndefaultTemplates: [agent]\n");
        writeFileSync(join(folder, layer, "templates/agent.hbs"), AGENT(image));
      }
      const { inject, release, warnings } = await loadInjector([join(folder, "below"), join(folder, "above")]);
      const pod = { spec: { containers: [{ name: "app", image: "app" }] } };
      const result = inject({ pod, namespace: "shop", parameters: {} });
      expect([release, warnings]).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), []]);
      expect(JSON.stringify(result)).toContain('"agent:2"');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
