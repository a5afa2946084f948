import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { connectContext, contextExchange, contextNames, kubeconfigFiles } from "./kubeconfig-access.ts";

let cwd: string;
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), text);
};
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "outrigger-kubeconfig-")));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** A kubeconfig whose contexts have the users of their names. */
function kubeconfig(users: Readonly<Record<string, object>>): string {
  const names = Object.keys(users);
  return JSON.stringify({
    "current-context": names[0],
    contexts: names.map((name) => ({ name, context: { cluster: "c", user: name } })),
    clusters: [{ name: "c", cluster: { server: "https://localhost:1" } }],
    users: names.map((name) => ({ name, user: users[name] })),
  });
}

describe("kubeconfigFiles()", () => {
  it.each<[string | undefined, Record<string, string>, readonly string[]]>([
    ["a", { KUBECONFIG: "b", HOME: "/home/ann" }, ["/project/a"]],
    ["a:b", {}, ["/project/a:b"]],
    ["/a", {}, ["/a"]],
    [undefined, { KUBECONFIG: "b::/c", HOME: "/home/ann" }, ["/project/b", "/c"]],
    [undefined, { KUBECONFIG: ":", HOME: "/home/ann" }, ["/home/ann/.kube/config"]],
    [undefined, { HOME: "/home/ann" }, ["/home/ann/.kube/config"]],
    [undefined, {}, ["/project/.kube/config"]],
  ])("of %s and %j are %j", (named, env, files) => {
    const options = named === undefined ? {} : { kubeconfig: named };
    expect(kubeconfigFiles(options, fakeIo({ cwd: "/project", env }))).toEqual(files);
  });
});

it("contextNames() lists the contexts of all files", async () => {
  write("one", kubeconfig({ shop: {}, till: {} }));
  write("two", kubeconfig({ pay: {} }));
  expect(await contextNames({}, fakeIo({ cwd, env: { KUBECONFIG: "one:two" } }))).toEqual(["shop", "till", "pay"]);
  await expect(contextNames({ kubeconfig: "missing" }, fakeIo({ cwd }))).rejects.toThrow("missing");
});

it("contextExchange() and connectContext() are of the context that is named, or of the current one", async () => {
  write("config", kubeconfig({ shop: { token: "a" }, till: { token: "b" } }));
  const io = fakeIo({ cwd });
  expect(await contextExchange({ kubeconfig: "config" }, io)).toMatchObject({
    name: "shop",
    url: "https://localhost:1",
  });
  expect((await contextExchange({ kubeconfig: "config", context: "till" }, io)).name).toBe("till");
  expect((await connectContext({ kubeconfig: "config", context: "till" }, io)).name).toBe("till");
});

describe("a plugin of a kubeconfig", () => {
  const exec = (command: string, more: object = {}) => ({
    exec: { apiVersion: "client.authentication.k8s.io/v1", command, interactiveMode: "IfAvailable", ...more },
  });
  const credential = `{"status": {"token": "t"}}`;

  beforeAll(() => {
    const script = `#!/bin/sh\necho "$0 $* $SAID $OWN" >&2\nprintf '%s' '${credential}'\nexit "\${CODE:-0}"\n`;
    // On a terminal, what a plugin says goes past the command.
    const quiet = script.replace(/^echo.*\n/m, "");
    for (const [file, text] of [
      ["k8s/plugin", script],
      ["bin/on-path", script],
      ["k8s/quiet", quiet],
    ] as const) {
      write(file, text);
      chmodSync(join(cwd, file), 0o755);
    }
    const env = [{ name: "OWN", value: "own" }];
    const users = {
      beside: exec("./plugin", { args: ["get", "token"], env }),
      onPath: exec("on-path"),
      missing: exec("no-such-plugin"),
      asking: exec("./quiet"),
      silent: exec("./quiet", { interactiveMode: "Never" }),
    };
    write("k8s/config", kubeconfig(users));
  });

  const open = (context: string, env: Record<string, string> = {}) => {
    const io = fakeIo({ cwd, env: { PATH: `${cwd}/bin:/usr/bin:/bin`, ...env } });
    return { io, opened: contextExchange({ kubeconfig: "k8s/config", context }, io) };
  };

  it("is found beside the kubeconfig, and gets its words, its variables and those of the command", async () => {
    const { io, opened } = open("beside", { SAID: "said" });
    expect((await opened).name).toBe("beside");
    expect(io.err()).toBe(`${cwd}/k8s/plugin get token said own\n`);
    expect(io.out()).toBe("");
  });

  it("is looked for on the path where its name has no slash", async () => {
    const { io, opened } = open("onPath");
    expect((await opened).name).toBe("onPath");
    expect(io.err()).toMatch(/on-path/);
  });

  it("is named where it fails or is not installed, and what it said is shown", async () => {
    const { io, opened } = open("beside", { CODE: "3", SAID: "why" });
    await expect(opened).rejects.toMatchObject({
      message: expect.stringContaining("the plugin ./plugin of user beside failed"),
      cause: expect.objectContaining({ message: "it ended with 3" }),
    });
    expect(io.err()).toContain(" why ");
    await expect(open("missing").opened).rejects.toThrow("the plugin no-such-plugin of user missing is not installed");
  });

  it("takes over the terminal only where it may ask", async () => {
    const yields = async (context: string, isTerminal: boolean) => {
      let yielded = 0;
      const io = {
        ...fakeIo({ cwd, isTerminal, env: { PATH: "/usr/bin:/bin" } }),
        yieldTerminal: () => void yielded++,
      };
      await contextExchange({ kubeconfig: "k8s/config", context }, io);
      return yielded;
    };
    expect(await yields("asking", true)).toBe(1);
    expect(await yields("asking", false)).toBe(0);
    expect(await yields("silent", true)).toBe(0);
  });
});
