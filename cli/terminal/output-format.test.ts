import { parseYaml } from "@outrigger/yaml";
import { afterAll, describe, expect, it } from "vitest";
import { commandsOf } from "../../test/cli/commands-of.ts";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { createProgram, main } from "../main.ts";

describe("-o", () => {
  const aws = fakeAws({}, SHIPPED);
  const cli = fakeCli(aws.connect, SHIPPED);
  cli.write("one/values/10-mine.yaml", "global: {hub: one}\n");
  afterAll(() => cli.remove("."));

  it("is an option of every command that prints JSON, unless -o is where it writes", async () => {
    const files = ["import", "inject"];
    for (const { path, command } of commandsOf(await createProgram(fakeIo()))) {
      if (!command.options.some(({ long }) => long === "--json") || files.includes(path.join(" "))) continue;
      const choices = command.options.find(({ long }) => long === "--output")?.argChoices;
      expect([path.join(" "), choices]).toEqual([path.join(" "), expect.arrayContaining(["json", "yaml"])]);
    }
  });

  it.each(["diff shipped one/", "lint one", "channel", "print helpers"])(
    "gives the same as JSON and as YAML: %s",
    async (line) => {
      const { out: json } = await cli.run(`${line} -o json`);
      const { out: yaml } = await cli.run(`${line} -o yaml`);
      expect(json).toMatch(/^[{[]/);
      expect(parseYaml(yaml, "yaml")).toEqual(JSON.parse(json));
      expect((await cli.run(`${line} --json`)).out).toBe(json);
      expect((await cli.run(`${line} -o text`)).out).toBe((await cli.run(line)).out);
    },
  );

  it("gives names alone, one a line, and takes wide where kubectl's users write it", async () => {
    await cli.run("publish");
    const [name] = Object.keys(await cli.json("channel"));
    expect((await cli.run("channel -o name")).out).toBe(`${name}\n`);
    expect((await cli.run(`channel ${name} -o name`)).out).toBe(`${name}\n`);
    const [kept] = await cli.json("releases");
    expect((await cli.run("releases -o name")).out).toBe(`${kept.release}\n`);
    expect((await cli.run("clusters -o name")).out).toBe("");
    expect((await cli.run("releases -o wide")).out).toBe((await cli.run("releases")).out);
    expect((await cli.run("pods --context prod -w -o wide")).err).toBe(
      "Unknown option '-w': here it is watch outrigger pods --context prod -o wide\n",
    );
  });

  it("is refused for a format that does not exist", async () => {
    const { code, err } = await cli.run("channel -o xml");
    expect([code, err]).toEqual([2, expect.stringContaining("Allowed choices are text, json, yaml")]);
  });

  it("is YAML already for manifests", async () => {
    const { out } = await cli.run("print rbac -o yaml");
    expect((await cli.run("print rbac")).out).toBe(out);
    expect(JSON.parse((await cli.run("print rbac -o json")).out).kind).toBe("List");
  });
});

describe("colours", () => {
  it("are on the streams that have them", async () => {
    const io = { ...fakeIo(), colours: { stdout: false, stderr: true } };
    expect(await main(["inject", "-f", "/gone"], io)).toBe(3);
    expect(io.err()).toBe("\u001b[31mCannot \u001b[0mread /gone: there is no such file or directory\n");
    expect(await main(["--version"], io)).toBe(0);
    expect(io.out()).not.toContain("\u001b");
  });
});
