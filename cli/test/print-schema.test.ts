import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

describe("outrigger print schema", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect, SHIPPED);
    cli.write("tree/values/10-mine.yaml", "mine: {size: 3}\n");
    cli.write("tree/templates/x.hbs", "metadata: {labels: {a: 's{{values.mine.size}}'}}\n");
  });
  afterEach(() => cli.remove("."));

  it("prints a JSON Schema of the shipped values and of the tree's own", async () => {
    const { code, out } = await cli.run("print schema tree");
    expect(code).toBe(0);
    const { properties } = JSON.parse(out);
    expect(properties.global.properties.hub).toMatchObject({
      pattern: expect.any(String),
      default: "registry.example/shipped",
    });
    expect(properties.mine.properties.size).toEqual({ type: ["number", "null"], default: 3 });
    expect(JSON.parse((await cli.run("print schema")).out).properties.mine).toBeUndefined();
  });

  it("prints with --config the keys of config.yaml, before among them", async () => {
    const { properties } = JSON.parse((await cli.run("print schema --config")).out);
    const [, entry] = properties.defaultTemplates.items.anyOf;
    expect(Object.keys(entry.properties)).toEqual(["name", "match", "before"]);
    expect((await cli.run("print schema tree --config")).err).toContain("Cannot use --config with a directory");
  });
});
