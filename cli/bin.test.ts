import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const WARNING = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";

describe("the outrigger executable", { timeout: 60_000 }, () => {
  const { argv, exitCode } = process;
  let out: string[];
  let err: string[];
  let listeners: readonly unknown[];
  beforeEach(() => {
    [out, err] = [[], []];
    listeners = process.stdout.listeners("error");
    vi.stubGlobal("OUTRIGGER_VERSION", "1.2.3");
    vi.stubEnv(WARNING, undefined);
    const keep = (texts: string[]) => (text: unknown) => texts.push(String(text)) > 0;
    vi.spyOn(process.stdout, "write").mockImplementation(keep(out));
    vi.spyOn(process.stderr, "write").mockImplementation(keep(err));
    vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`ends with ${code}`);
    });
  });
  afterEach(() => {
    for (const listener of process.stdout.listeners("error"))
      if (!listeners.includes(listener)) process.stdout.off("error", listener as () => void);
    process.argv = argv;
    process.exitCode = exitCode;
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });

  /** Runs it as the process that it is. */
  async function run(...words: readonly string[]) {
    vi.resetModules();
    process.argv = ["node", "outrigger", ...words];
    process.exitCode = undefined;
    await import("./bin.ts");
    return { code: process.exitCode, out: out.join(""), err: err.join("") };
  }

  it("prints to the process's own output, until its reader has read enough", async () => {
    expect(await run("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
    // What the SDK says of its own later versions helps nobody who runs it.
    expect(process.env[WARNING]).toBe("true");
    const [listener] = process.stdout.listeners("error").filter((one) => !listeners.includes(one)) as ((
      error: object,
    ) => void)[];
    expect(() => listener?.({ code: "EPIPE" })).toThrow("ends with 0");
    expect(() => listener?.({ code: "EIO" })).toThrow("ends with 1");
  });

  it("ends with the code of the command, knows the examples next to it, and keeps what a person has set", async () => {
    vi.stubEnv(WARNING, "false");
    const none = await run("new", "template", "--from", "none-of-these", "--dir", "/nowhere/at/all");
    expect([none.code, none.out, none.err]).toEqual([2, "", expect.stringContaining("log-shipper")]);
    expect(process.env[WARNING]).toBe("false");
  });

  it("has the shipped templates next to it", async () => {
    const { code, out: schema } = await run("print", "schema");
    expect([code, Object.keys(JSON.parse(schema).properties)]).toEqual([0, expect.arrayContaining(["global"])]);
  });
});
