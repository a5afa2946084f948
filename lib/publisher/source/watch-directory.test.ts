import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchDirectories } from "./watch-directory.ts";

describe("watchDirectories()", () => {
  let directory: string;
  let watch: ReturnType<typeof watchDirectories>;
  let changes: number;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-watch-"));
    mkdirSync(join(directory, "values"));
    writeFileSync(join(directory, "values", "a.yaml"), "a: 1");
    changes = 0;
    watch = watchDirectories([directory], () => void changes++, 5);
    await settled();
    // It has had its first look when it reports a change.
    for (let write = 0; changes === 0; write++) {
      writeFileSync(join(directory, "values", "a.yaml"), `a: ${write}`);
      await vi.waitFor(() => expect(changes).toBeGreaterThan(0), { timeout: 500, interval: 5 }).catch(() => {});
    }
    changes = 0;
  });
  afterEach(() => {
    watch.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const settled = () => new Promise((resolve) => setTimeout(resolve, 40));
  const reported = (times: number) => vi.waitFor(() => expect(changes).toBe(times), { timeout: 60_000, interval: 5 });

  it("reports each change when files are written, made, replaced and removed", async () => {
    writeFileSync(join(directory, "values", "a.yaml"), "a: changed");
    await reported(1);
    writeFileSync(join(directory, "config.yaml"), "");
    await reported(2);
    writeFileSync(join(directory, ".config.yaml.new"), "x");
    renameSync(join(directory, ".config.yaml.new"), join(directory, "config.yaml"));
    await reported(3);
    rmSync(join(directory, "values"), { recursive: true });
    await reported(4);
  });

  it("continues when the directory goes and comes back", async () => {
    rmSync(directory, { recursive: true });
    await reported(1);
    mkdirSync(directory);
    writeFileSync(join(directory, "config.yaml"), "");
    await reported(2);
  });

  it("reports nothing more where it is closed while it reports", async () => {
    let calls = 0;
    const own = watchDirectories(
      [directory],
      () => {
        calls++;
        own.close();
      },
      1,
    );
    for (let write = 0; calls === 0; write++) {
      writeFileSync(join(directory, "config.yaml"), `a: ${write}`);
      await settled();
    }
    // The other watch sees both changes, and so would this one.
    for (const text of ["b: 1", "b: two"]) {
      const seen = changes;
      writeFileSync(join(directory, "config.yaml"), text);
      await vi.waitFor(() => expect(changes).toBeGreaterThan(seen), { timeout: 60_000, interval: 5 });
    }
    expect(calls).toBe(1);
  });

  it("reports nothing when only a hidden file changes, and nothing after it is closed", async () => {
    writeFileSync(join(directory, ".swp"), "");
    await settled();
    expect(changes).toBe(0);
    watch.close();
    writeFileSync(join(directory, "config.yaml"), "");
    await settled();
    expect(changes).toBe(0);
  });
});
